/// The time of a buffer's first frame, from the graph's clock. [audio]
struct FrameClock {
  /// - Parameter now: CLOCK_MONOTONIC ns of the graph cycle that delivered the buffer's last frame.
  mutating func start(of frames: UInt32, now: Int64) -> UInt64 {
    UInt64(max(0, now - Int64(frames) * 1_000_000_000 / 48000))
  }
}
