import CAV

/// Turns decoded blocks of any sample format into planar floats that are safe to resample.
enum Samples {
  /// Loudest value let through, +18 dBFS: louder is no sound, and one sample of 1e30 in a file would
  /// spread over its neighbours when resampled.
  static let limit: Float = 8
  /// Quietest value kept, -300 dBFS: what is smaller slows filters down and cannot be heard.
  static let floor: Float = 1e-15

  /// Converts `count` frames from `offset` on of one channel; answers how many were no numbers.
  ///
  /// `nil` for a sample format that is not known.
  static func convert(
    _ frame: UnsafePointer<AVFrame>, channel: Int, from offset: Int, count: Int,
    into out: UnsafeMutablePointer<Float>
  ) -> Int? {
    let source = Plane(frame, channel: channel, offset: offset)
    switch AVSampleFormat(rawValue: frame.pointee.format) {
    case AV_SAMPLE_FMT_U8, AV_SAMPLE_FMT_U8P:
      source.each(count, UInt8.self) { out[$0] = (Float($1) - 128) * 0x1p-7 }
    case AV_SAMPLE_FMT_S16, AV_SAMPLE_FMT_S16P:
      source.each(count, Int16.self) { out[$0] = Float($1) * 0x1p-15 }
    case AV_SAMPLE_FMT_S32, AV_SAMPLE_FMT_S32P:
      source.each(count, Int32.self) { out[$0] = Float($1) * 0x1p-31 }
    case AV_SAMPLE_FMT_S64, AV_SAMPLE_FMT_S64P:
      source.each(count, Int64.self) { out[$0] = Float($1) * 0x1p-63 }
    case AV_SAMPLE_FMT_FLT, AV_SAMPLE_FMT_FLTP:
      source.each(count, Float.self) { out[$0] = $1 }
      return clean(out, count)
    case AV_SAMPLE_FMT_DBL, AV_SAMPLE_FMT_DBLP:
      source.each(count, Double.self) { out[$0] = Float($1) }
      return clean(out, count)
    default: return nil
    }
    return 0
  }

  /// Silences what is not a number or too small, limits what is absurd; answers the count of the first.
  private static func clean(_ samples: UnsafeMutablePointer<Float>, _ count: Int) -> Int {
    var bad = 0
    for index in 0..<count {
      let magnitude = samples[index].magnitude
      if magnitude >= floor, magnitude <= limit { continue }
      if !magnitude.isFinite { bad += 1 }
      samples[index] =
        magnitude.isFinite && magnitude > limit ? (samples[index] < 0 ? -limit : limit) : 0
    }
    return bad
  }
}

/// Where one channel's samples lie in a decoded block, interleaved or not.
private struct Plane {
  let start: UnsafeMutableRawPointer?
  let step: Int

  init(_ frame: UnsafePointer<AVFrame>, channel: Int, offset: Int) {
    let format = AVSampleFormat(rawValue: frame.pointee.format)
    let bytes = Int(av_get_bytes_per_sample(format))
    if av_sample_fmt_is_planar(format) != 0 {
      let plane = frame.pointee.extended_data[channel]
      start = plane.map { UnsafeMutableRawPointer($0 + offset * bytes) }
      step = 1
    } else {
      step = Int(frame.pointee.ch_layout.nb_channels)
      let first = (offset * step + channel) * bytes
      start = frame.pointee.extended_data[0].map { UnsafeMutableRawPointer($0 + first) }
    }
  }

  @inline(__always)
  func each<Sample>(_ count: Int, _: Sample.Type, _ body: (Int, Sample) -> Void) {
    guard let start else { return }
    let samples = start.assumingMemoryBound(to: Sample.self)
    for index in 0..<count { body(index, samples[index * step]) }
  }
}
