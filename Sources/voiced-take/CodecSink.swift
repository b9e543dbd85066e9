import CAV
import Glibc
import VoiceCore

/// Encodes frames with FFmpeg as they come.
final class CodecSink: FrameSink {
  private let muxer: Muxer
  private var encoder: UnsafeMutablePointer<AVCodecContext>?
  private var frame: UnsafeMutablePointer<AVFrame>?
  private var packet: UnsafeMutablePointer<AVPacket>?
  /// Frames in `frame`, and frames encoded before it.
  private var filled = 0
  private var sent: Int64 = 0

  init(_ file: OpenFile, _ recipe: CodecRecipe) throws(TakeFailure) {
    muxer = try Muxer(file, container: recipe.muxer)
    let codec = avcodec_find_encoder_by_name(recipe.encoder)
    guard let codec else {
      throw TakeFailure(.sourceFailed, "this FFmpeg has no encoder \"\(recipe.encoder)\"")
    }
    encoder = avcodec_alloc_context3(codec)
    frame = av_frame_alloc()
    packet = av_packet_alloc()
    guard let encoder, let frame, packet != nil else {
      throw TakeFailure(codec: "encoded", code: -ENOMEM)
    }
    encoder.pointee.sample_rate = Int32(recipe.rate)
    encoder.pointee.time_base = AVRational(num: 1, den: Int32(recipe.rate))
    encoder.pointee.sample_fmt = recipe.samples
    encoder.pointee.bit_rate = recipe.bitRate
    encoder.pointee.thread_count = 1
    av_channel_layout_default(&encoder.pointee.ch_layout, 1)
    if muxer.wantsGlobalHeader { encoder.pointee.flags |= AV_CODEC_FLAG_GLOBAL_HEADER }
    for (key, value) in recipe.options {
      try check(av_opt_set(encoder.pointee.priv_data, key, value, 0))
    }
    try check(avcodec_open2(encoder, codec, nil))
    try muxer.begin(encoder, hasIndex: recipe.hasIndex)
    frame.pointee.format = recipe.samples.rawValue
    frame.pointee.sample_rate = encoder.pointee.sample_rate
    frame.pointee.nb_samples = encoder.pointee.frame_size
    av_channel_layout_default(&frame.pointee.ch_layout, 1)
    try check(av_frame_get_buffer(frame, 0))
  }

  deinit {
    av_packet_free(&packet)
    av_frame_free(&frame)
    avcodec_free_context(&encoder)
  }

  func append(_ frames: UnsafeBufferPointer<Float>) throws(TakeFailure) {
    guard let frame, let encoder else { return }
    let size = Int(encoder.pointee.frame_size)
    var done = 0
    while done < frames.count {
      // The encoder may still hold the buffer it was given last.
      if filled == 0 { try check(av_frame_make_writable(frame)) }
      let count = min(frames.count - done, size - filled)
      put(UnsafeBufferPointer(rebasing: frames[done..<(done + count)]))
      done += count
      filled += count
      if filled == size { try encode() }
    }
  }

  func finish() throws(TakeFailure) {
    if filled > 0 { try encode() }
    try check(avcodec_send_frame(encoder, nil))
    try drain()
    try muxer.finish()
  }

  private func put(_ frames: UnsafeBufferPointer<Float>) {
    guard let frame, let plane = frame.pointee.data.0 else { return }
    if frame.pointee.format == AV_SAMPLE_FMT_S16.rawValue {
      plane.withMemoryRebound(to: Int16.self, capacity: filled + frames.count) { samples in
        for index in frames.indices { samples[filled + index] = Int16(fullScale: frames[index]) }
      }
    } else {
      plane.withMemoryRebound(to: Float.self, capacity: filled + frames.count) { samples in
        for index in frames.indices { samples[filled + index] = frames[index] }
      }
    }
  }

  private func encode() throws(TakeFailure) {
    guard let frame else { return }
    frame.pointee.nb_samples = Int32(filled)
    frame.pointee.pts = sent
    sent += Int64(filled)
    filled = 0
    try check(avcodec_send_frame(encoder, frame))
    try drain()
  }

  private func drain() throws(TakeFailure) {
    guard let encoder, let packet else { return }
    while true {
      let code = avcodec_receive_packet(encoder, packet)
      if code == -EAGAIN || code == CodecSink.endOfStream { return }
      try check(code)
      try muxer.write(packet)
      av_packet_unref(packet)
    }
  }

  /// AVERROR_EOF, which is a macro that Swift does not see.
  static let endOfStream = -Int32(0x20464F45)

  private func check(_ code: Int32) throws(TakeFailure) {
    if code < 0 { throw TakeFailure(codec: "encoded", code: code) }
  }
}
