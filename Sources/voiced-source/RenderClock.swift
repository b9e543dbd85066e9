/// When which frames of a source on the host's clock are due: 30 blocks a second.
///
/// A block is due when its last frame would have been captured, and carries the time of its first
/// frame, as a device's would. A value; no clock inside.
struct RenderClock: Equatable {
  /// More than this late, a block is not caught up with but moved: the time between is lost.
  static let patience: UInt64 = 500_000_000
  static let blocksPerSecond: UInt64 = 30

  let rate: UInt64
  /// CLOCK_MONOTONIC ns of frame 0.
  private(set) var origin: UInt64
  private(set) var block: UInt64 = 0

  init(rate: UInt32, origin: UInt64) {
    self.rate = UInt64(rate)
    self.origin = origin
  }

  private var first: UInt64 { block * rate / Self.blocksPerSecond }
  private var end: UInt64 { (block + 1) * rate / Self.blocksPerSecond }

  /// Frames of the current block: 1600 at 48 kHz.
  var frames: Int { Int(end - first) }
  /// Time of its first frame.
  var time: UInt64 { origin + first * 1_000_000_000 / rate }
  /// Time at which it is due.
  var due: UInt64 { origin + end * 1_000_000_000 / rate }

  /// Moves the rest of the timeline when the block is too late to catch up with.
  mutating func wake(at now: UInt64) {
    if now > due, now - due > Self.patience { origin += now - due }
  }

  mutating func advance() { block += 1 }
}
