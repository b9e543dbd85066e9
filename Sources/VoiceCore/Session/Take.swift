/// The running or stopped take of a session.
struct Take: Sendable {
  let number: UInt32
  let settings: TakeSettings
  /// Who began it.
  let caller: String?
  /// When it was asked for; all times are nanoseconds of CLOCK_MONOTONIC.
  let askedAt: UInt64
  /// When the first real sound arrived.
  var startedAt: UInt64?
  /// The ring's frame at which its sound begins.
  var firstFrame: UInt64?
  /// Frames recorded so far.
  var frames: UInt64 = 0
  /// Seconds of its sound that were heard before it was asked for.
  var preRoll = 0.0
  /// Why no sound has come so far.
  var absence = VoicedError.sourceUnavailable
  /// When an interruption stopped it.
  var stoppedAt: UInt64?
  /// When it was released, while the release grace lasts.
  var releasedAt: UInt64?
  /// The figures of the last `tellElapsed`.
  var told: (seconds: UInt32, remaining: UInt32?)?

  init(number: UInt32, settings: TakeSettings, caller: String?, askedAt: UInt64) {
    self.number = number
    self.settings = settings
    self.caller = caller
    self.askedAt = askedAt
  }

  /// The frame of the ring at which the maximum duration cuts it.
  var lastFrame: UInt64? {
    guard let firstFrame else { return nil }
    let (last, overflow) = firstFrame.addingReportingOverflow(settings.maximumFrames)
    return overflow ? .max : last
  }

  /// Seconds by the clock since the first real sound; a clock that goes back counts as no time.
  func elapsed(at now: UInt64) -> Double {
    guard let startedAt else { return 0 }
    return seconds(from: startedAt, to: stoppedAt ?? now)
  }

  /// Whole seconds left, rounded up, during the last ten of a maximum longer than that.
  var remaining: UInt32? {
    guard firstFrame != nil, settings.maximum > 10 else { return nil }
    let left = settings.maximum - Double(frames) / ringRate
    return left > 10 ? nil : UInt32(max(0, left.rounded(.up)))
  }

  /// Whether both the time since it was asked for and its sound are below the minimum.
  func isTooShort(at now: UInt64) -> Bool {
    seconds(from: askedAt, to: now) < settings.minimum
      && elapsed(at: now) + preRoll < settings.minimum
  }

  private func seconds(from start: UInt64, to end: UInt64) -> Double {
    end > start ? Double(end - start) / 1e9 : 0
  }
}
