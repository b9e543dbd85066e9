import VoiceIO

/// The time of a running take between the moments at which it is told.
struct RunningClock {
  /// Seconds the clock may run past what was told last: it is told once a second.
  private static let reach = 1.5

  private var told = 0.0
  private var at: UInt64 = 0
  private var isRunning = false

  /// Takes the state in, `now` in nanoseconds of the event loop's clock.
  ///
  /// A take's time begins with its first sound: at 0 it stands.
  mutating func set(_ state: RecorderState, now: UInt64) {
    isRunning = state.isRecording && state.elapsed > 0
    told = state.elapsed
    at = now
  }

  func seconds(now: UInt64) -> Double {
    guard isRunning, now > at else { return told }
    return told + min(Double(now - at) / 1e9, Self.reach)
  }
}
