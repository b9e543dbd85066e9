/// When sound was heard, from the clock of the graph. [audio]
///
/// The graph's time is as steady as its driver makes it, and it jumps where sound was lost: nothing is smoothed.
/// Two things have to be seen to. A driver that runs on a timer makes up for a stall afterwards, cycle by cycle as fast
/// as it can, on a clock that lags: nobody heard that sound when it says, and it would come on top of the time
/// that the stall took. And a driver may count from another moment than CLOCK_MONOTONIC does.
struct FrameClock {
  /// More than any scheduling delay, less than a stall that matters; ns.
  private static let latest: Int64 = 200_000_000
  /// A graph that runs ahead by more than this counts from another moment; ns.
  private static let earliest: Int64 = -50_000_000
  /// In that time a lag that is made up for shrinks by a fifth of it at least, or it is another way to count; ns.
  private static let patience: Int64 = 500_000_000

  /// What the graph's clock is behind CLOCK_MONOTONIC for good.
  private var offset: Int64 = 0
  private var lateSince: Int64?
  private var lagThen: Int64 = 0
  /// The last answer of `start`, which a stream that comes after must not go behind.
  private(set) var lastStart: Int64

  init(notBefore start: Int64) { lastStart = start }

  /// ns of CLOCK_MONOTONIC until which sound had been heard; nil for sound that makes up for a stall.
  ///
  /// - Parameters:
  ///   - cycle: ns at the start of the graph cycle; 0 as long as the graph has not told one.
  ///   - now: ns of CLOCK_MONOTONIC.
  mutating func end(cycle: Int64, now: Int64) -> Int64? {
    guard cycle > 0 else { return now }
    let lag = now - cycle - offset
    if lag > FrameClock.latest {
      guard let since = lateSince else {
        (lateSince, lagThen) = (now, lag)
        return nil
      }
      if now < since + FrameClock.patience { return nil }
      if lag < lagThen - FrameClock.patience / 5 {
        (lateSince, lagThen) = (now, lag)
        return nil
      }
      anchor(now - cycle)
    }
    lateSince = nil
    if lag < FrameClock.earliest { anchor(now - cycle) }
    return min(cycle + offset, now)
  }

  /// The time of a buffer's first frame, never before that of the buffer before.
  ///
  /// Another driver may begin within the cycle of the one before; its first buffer then starts where that one did.
  mutating func start(of frames: UInt32, end: Int64) -> UInt64 {
    lastStart = max(lastStart, end - FrameClock.length(of: frames))
    return UInt64(max(0, lastStart))
  }

  /// ns that so many frames last.
  static func length(of frames: UInt32) -> Int64 {
    Int64(frames) * 1_000_000_000 / Int64(CaptureStream.rate)
  }

  private mutating func anchor(_ behind: Int64) {
    offset = behind
    lateSince = nil
  }
}
