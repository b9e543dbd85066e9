import CAV

/// A stretch of a file with one rate and one number of channels: most files have one, radio streams and
/// chained Ogg files have several.
final class Section {
  let rate: Int32
  let channels: Int
  /// Channels of the file that are more than can be taken.
  let leftOut: Int
  let output: SoundBlock
  private let input: SoundBlock
  private let resampler: Resampler?

  /// The section that begins with this decoded block.
  static func open(_ frame: UnsafePointer<AVFrame>) throws(Refusal) -> Section {
    let rate = frame.pointee.sample_rate
    let channels = min(Int(frame.pointee.ch_layout.nb_channels), Sound.mostChannels)
    if rate == Sound.rate { return Section(frame, channels, nil) }
    return Section(frame, channels, try Resampler.open(rate: rate, channels: channels))
  }

  private init(_ frame: UnsafePointer<AVFrame>, _ channels: Int, _ resampler: Resampler?) {
    rate = frame.pointee.sample_rate
    self.channels = channels
    self.resampler = resampler
    leftOut = Int(frame.pointee.ch_layout.nb_channels) - channels
    output = SoundBlock(channels: channels, capacity: Sound.block)
    input = resampler == nil ? output : SoundBlock(channels: channels, capacity: Sound.block)
  }

  /// Whether a decoded block is sound of a kind that can be played at all.
  static func accepts(_ frame: UnsafePointer<AVFrame>) -> Bool {
    Sound.rates.contains(frame.pointee.sample_rate) && frame.pointee.ch_layout.nb_channels > 0
  }

  /// Whether a decoded block goes on in this section.
  func fits(_ frame: UnsafePointer<AVFrame>) -> Bool {
    frame.pointee.sample_rate == rate
      && Int(frame.pointee.ch_layout.nb_channels) == channels + leftOut
  }

  /// Frames of the file to convert at a time, so that half an output block holds them.
  var inputFrames: Int {
    guard resampler != nil else { return Sound.block }
    return max(1, min(Sound.block, Sound.block / 2 * Int(rate) / Int(Sound.rate)))
  }

  /// Converts a part of a decoded block; answers the frames that came out.
  func convert(
    _ frame: UnsafePointer<AVFrame>, from offset: Int, count: Int, _ silenced: inout Int64
  ) -> Int {
    for channel in 0..<channels {
      let bad = Samples.convert(
        frame, channel: channel, from: offset, count: count, into: input[channel])
      guard let bad else { return 0 }
      silenced += Int64(bad)
    }
    return resampler?.convert(input, frames: count, into: output) ?? count
  }

  /// The rest that the resampler holds back; 0 when that is all.
  func drain() -> Int { resampler?.drain(into: output) ?? 0 }
}
