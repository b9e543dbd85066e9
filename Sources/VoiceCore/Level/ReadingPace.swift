/// Decides when a running source is read: every 33 ms, at once when speech starts, never without frames.
///
/// Times are nanoseconds of one clock that does not go back. The caller arms its timer for `due`, calls
/// `tick` when it fires and `rise` when the source signals that its power has clearly risen.
package struct ReadingPace: Equatable, Sendable {
  /// Nanoseconds between readings.
  package static let interval: UInt64 = 33_000_000
  /// Shortest nanoseconds between readings, when speech starts: 60 a second.
  package static let shortest: UInt64 = 16_666_667
  /// Nanoseconds without frames after which a reading is silence; quanta of 2048 frames take 43 ms.
  package static let patience: UInt64 = 250_000_000

  package enum Decision: Equatable, Sendable {
    /// No reading now: it is too early, or nothing has come and may still come.
    case wait
    /// Take the accumulated sums as a reading.
    case read
    /// Nothing has come for so long that the reading is `Reading.silence`.
    case silence
  }

  /// When to call `tick` next.
  package private(set) var due: UInt64
  private var latestFrames: UInt64
  private var latestReading: UInt64?

  /// Starts the pace at `now`; the first reading is due one interval later.
  package init(at now: UInt64) {
    due = now + Self.interval
    latestFrames = now
  }

  /// What to do now; `hasFrames` tells whether frames have come since the last reading.
  package mutating func tick(hasFrames: Bool, at now: UInt64) -> Decision {
    guard now >= due else { return .wait }
    due += Self.interval
    if due <= now { due = now + Self.interval }
    if hasFrames {
      latestFrames = now
      latestReading = now
      return .read
    }
    return now - min(now, latestFrames) >= Self.patience ? .silence : .wait
  }

  /// Whether to read now, ahead of the pace, because the power has clearly risen; restarts the pace.
  ///
  /// When the last reading is too recent, the answer is no and `due` is brought forward.
  package mutating func rise(at now: UInt64) -> Bool {
    if let latestReading, now < latestReading + Self.shortest {
      due = min(due, latestReading + Self.shortest)
      return false
    }
    latestFrames = now
    latestReading = now
    due = now + Self.interval
    return true
  }
}
