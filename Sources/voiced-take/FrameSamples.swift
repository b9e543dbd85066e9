import CAV

extension AVFrame {
  var channels: Int { Int(ch_layout.nb_channels) }

  /// Replaces `samples` by one channel's samples, full scale 1; leaves it empty for unknown kinds.
  func copy(channel: Int, to samples: inout [Float]) {
    samples.removeAll(keepingCapacity: true)
    let format = AVSampleFormat(rawValue: self.format)
    let isPlanar = av_sample_fmt_is_planar(format) != 0
    guard let planes = extended_data, let plane = planes[isPlanar ? channel : 0] else { return }
    let step = isPlanar ? 1 : channels
    let first = isPlanar ? 0 : channel
    let count = Int(nb_samples)
    // Into memory that is there already, and packed samples apart: only so is it done many at a time.
    func each<T>(_ type: T.Type, _ sample: (T) -> Float) {
      samples.append(contentsOf: repeatElement(0, count: count))
      samples.withUnsafeMutableBufferPointer { target in
        plane.withMemoryRebound(to: type, capacity: count * step) { values in
          if step == 1 {
            for index in 0..<count { target[index] = sample(values[index]) }
          } else {
            for index in 0..<count { target[index] = sample(values[index &* step &+ first]) }
          }
        }
      }
    }
    switch av_get_packed_sample_fmt(format) {
    case AV_SAMPLE_FMT_U8: each(UInt8.self) { (Float($0) - 128) / 128 }
    case AV_SAMPLE_FMT_S16: each(Int16.self) { Float($0) / 32768 }
    case AV_SAMPLE_FMT_S32: each(Int32.self) { Float($0) / 2_147_483_648 }
    case AV_SAMPLE_FMT_S64: each(Int64.self) { Float($0) / 9_223_372_036_854_775_808 }
    case AV_SAMPLE_FMT_FLT: each(Float.self) { $0 }
    case AV_SAMPLE_FMT_DBL: each(Double.self) { Float($0) }
    default: break
    }
  }
}
