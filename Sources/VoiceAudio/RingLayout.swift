/// Where things lie in the ring's memory; version 1.
///
/// Page 0 is written by the source process, page 1 by the daemon, and the frames follow. Every
/// field is a 64-bit atomic, so that no reader sees half of one. What lies behind `sequence` is
/// changed only while `sequence` is odd.
package enum RingLayout {
  static let magic: UInt64 = 0x31_47_4E_52_43_49_4F_56  // "VOICRNG1", read as little endian
  static let version: UInt64 = 1

  static let magicOffset = 0
  static let versionOffset = 8
  static let capacityOffset = 16

  /// Frames that are written or about to be: what lies a capacity before this may be torn.
  static let claimed = 64
  /// Frames that may be read.
  static let written = 72
  /// Bit pattern of the loudest |x|; the writer raises it, a drain takes it.
  static let peak = 128

  static let sequence = 192
  static let anchorFrame = 200
  static let anchorTime = 208
  static let end = 216
  static let lost = 224
  /// Frames measured, at the plugin's own rate.
  static let measured = 232
  static let channels = 240
  static let levels = 248
  static let level = 256
  static let sums = 1024
  static let squares = sums + maximumChannels * 8

  /// The daemon's page: how many readings it took, and the power of the last one.
  static let readings = 4096
  static let readingPower = 4104

  static let frames = 8192
  static let size = frames + SoundRing.capacity * MemoryLayout<Float>.stride

  /// Channels that are measured; a source with more is refused.
  package static let maximumChannels = 64

  /// The sums are whole numbers of this fraction of full scale that wrap around.
  ///
  /// Differences of wrapping sums are exact however old the ring is, which a floating-point sum
  /// that runs for days is not. A window may hold 2^26 frames before its difference is ambiguous.
  static let fraction = 0x1p-36
  static let longestWindow: UInt64 = 1 << 26
}
