import CAV

/// Changes the rate of a mono stream, exactly: n frames in are n * to / from frames out, rounded, and a
/// click keeps its time.
final class Resampler {
  private let from: UInt64
  private let to: UInt64
  private var context: OpaquePointer?
  /// Frames taken and given so far.
  private var taken: UInt64 = 0
  private var given: UInt64 = 0
  private var output = [Float](repeating: 0, count: 8192)

  init(from: UInt32, to: UInt32) throws(TakeFailure) {
    self.from = UInt64(from)
    self.to = UInt64(to)
    var input = AVChannelLayout()
    av_channel_layout_default(&input, 1)
    var output = input
    let code = swr_alloc_set_opts2(
      &context, &output, AV_SAMPLE_FMT_FLT, Int32(to), &input, AV_SAMPLE_FMT_FLT, Int32(from), 0,
      nil)
    guard code >= 0, swr_init(context) >= 0 else {
      throw TakeFailure(codec: "brought to \(to) frames a second", code: code)
    }
  }

  deinit { swr_free(&context) }

  /// Frames that must have been given when the stream ends here.
  private var due: UInt64 { (taken * to + from / 2) / from }

  /// Takes frames and hands over those that are ready.
  func append(
    _ frames: UnsafeBufferPointer<Float>,
    _ ready: (UnsafeBufferPointer<Float>) throws(TakeFailure) -> Void
  ) throws(TakeFailure) {
    taken += UInt64(frames.count)
    let bytes = UnsafeRawBufferPointer(frames).bindMemory(to: UInt8.self)
    try convert(bytes.baseAddress, Int32(frames.count), ready)
  }

  /// Hands over the rest.
  ///
  /// `beyond` are frames that followed and do not belong to the stream: with them the last frames are
  /// what they would be in a longer one, bit for bit, instead of fading into nothing.
  func finish(
    beyond: [Float], _ ready: (UnsafeBufferPointer<Float>) throws(TakeFailure) -> Void
  ) throws(TakeFailure) {
    let result = beyond.withUnsafeBytes { raw in
      Result { () throws(TakeFailure) in
        let bytes = raw.bindMemory(to: UInt8.self).baseAddress
        if !beyond.isEmpty { try convert(bytes, Int32(beyond.count), ready) }
      }
    }
    try result.get()
    try convert(nil, 0, ready)
    // The filter's tail may end a frame early.
    while given < due {
      let count = Int(min(due - given, UInt64(output.count)))
      for index in 0..<count { output[index] = 0 }
      try give(count, ready)
    }
  }

  private func convert(
    _ input: UnsafePointer<UInt8>?, _ frames: Int32,
    _ ready: (UnsafeBufferPointer<Float>) throws(TakeFailure) -> Void
  ) throws(TakeFailure) {
    var input = input
    // Always room for all of it: what has no room would wait inside the converter.
    let room = Int(swr_get_out_samples(context, frames))
    if room > output.count { output += [Float](repeating: 0, count: room - output.count) }
    let capacity = Int32(output.count)
    let count = output.withUnsafeMutableBytes { raw in
      var target = raw.bindMemory(to: UInt8.self).baseAddress
      return swr_convert(context, &target, capacity, &input, frames)
    }
    guard count >= 0 else { throw TakeFailure(codec: "resampled", code: count) }
    try give(Int(min(UInt64(count), due - given)), ready)
  }

  private func give(
    _ count: Int, _ ready: (UnsafeBufferPointer<Float>) throws(TakeFailure) -> Void
  ) throws(TakeFailure) {
    guard count > 0 else { return }
    given += UInt64(count)
    let result = output.withUnsafeBufferPointer { buffer in
      Result { () throws(TakeFailure) in
        try ready(UnsafeBufferPointer(rebasing: buffer[..<count]))
      }
    }
    try result.get()
  }
}
