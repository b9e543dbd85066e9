/// What a pass saw of its file.
struct Findings {
  /// Packets read from the container.
  var packets: Int64 = 0
  /// Seconds decoded, also what was left out of them for `start`.
  var seconds = 0.0
  /// Frames given out, at 48 kHz.
  var framesGiven: Int64 = 0
  /// Samples that were no numbers.
  var silenced: Int64 = 0
  /// Decoded blocks that could not be sound.
  var strangeFrames: Int64 = 0
  /// Rate and channels of the first sound.
  private(set) var rate: Int32 = 0
  private(set) var channels = 0
  private(set) var leftOut = 0

  mutating func note(_ section: Section) {
    leftOut = max(leftOut, section.leftOut)
    guard channels == 0 else { return }
    rate = section.rate
    channels = section.channels
  }
}
