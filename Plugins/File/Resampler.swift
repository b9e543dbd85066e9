import CAV

/// Brings every channel by itself to the output's rate; nothing is mixed.
final class Resampler {
  private var context: OpaquePointer?
  /// Frames a second that come in.
  let rate: Int32
  /// Frames taken in and given out, to end on the frame where the sound ends.
  private var taken: Int64 = 0
  private var given: Int64 = 0

  static func open(rate: Int32, channels: Int) throws(Refusal) -> Resampler {
    var context: OpaquePointer?
    var layout = AVChannelLayout()
    layout.order = AV_CHANNEL_ORDER_UNSPEC
    layout.nb_channels = Int32(channels)
    let result = withUnsafeMutablePointer(to: &layout) {
      swr_alloc_set_opts2(
        &context, $0, AV_SAMPLE_FMT_FLTP, Sound.rate, $0, AV_SAMPLE_FMT_FLTP, rate, 0, nil)
    }
    guard result == 0, swr_init(context) == 0 else {
      swr_free(&context)
      throw .notAudio("\(rate) Hz in \(channels) channels cannot be played")
    }
    return Resampler(context, rate)
  }

  private init(_ context: OpaquePointer?, _ rate: Int32) {
    self.context = context
    self.rate = rate
  }

  deinit { swr_free(&context) }

  /// Resamples `frames` of `input` into `output`; answers how many came out.
  func convert(_ input: SoundBlock, frames: Int, into output: SoundBlock) -> Int {
    taken += Int64(frames)
    let planes = UnsafeMutableRawPointer(input.planes)
      .assumingMemoryBound(to: UnsafePointer<UInt8>?.self)
    return count(
      swr_convert(context, output.planes, Int32(output.capacity), planes, Int32(frames)))
  }

  /// Gives out what is still inside, up to the frame at which the sound ends; 0 when that is all.
  func drain(into output: SoundBlock) -> Int {
    let all = (taken * Int64(Sound.rate) + Int64(rate) / 2) / Int64(rate)
    let room = min(Int64(output.capacity), all - given)
    guard room > 0 else { return 0 }
    return count(swr_convert(context, output.planes, Int32(room), nil, 0))
  }

  private func count(_ result: Int32) -> Int {
    guard result > 0 else { return 0 }
    given += Int64(result)
    return Int(result)
  }
}
