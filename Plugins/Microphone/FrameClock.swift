/// When a buffer's first frame was heard, from the clock of the graph. [audio]
///
/// The graph's time is as steady as its driver makes it, and it jumps where sound was lost: nothing is smoothed.
struct FrameClock {
  private var last: UInt64 = 0

  /// ns of CLOCK_MONOTONIC, never before the last answer.
  ///
  /// Another driver may begin within the cycle of the one before; its first buffer then starts where that one did.
  ///
  /// - Parameter now: ns at the start of the graph cycle, when the buffer's last frame had been heard.
  mutating func start(of frames: UInt32, now: Int64) -> UInt64 {
    let start = now - Int64(frames) * 1_000_000_000 / Int64(CaptureStream.rate)
    last = max(last, UInt64(max(0, start)))
    return last
  }
}
