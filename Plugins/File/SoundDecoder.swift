import CAV

/// One codec, fed with packets, read frame by frame.
final class SoundDecoder {
  private var context: UnsafeMutablePointer<AVCodecContext>?
  private(set) var frame: UnsafeMutablePointer<AVFrame>?
  /// Packets that did not decode.
  private(set) var damagedPackets = 0
  let name: String

  /// Most frames of one decoded block: above the longest of any codec (WavPack: 150 000), far below
  /// what a forged header may ask for.
  private static let mostSamples: Int64 = 262_144

  static func open(
    _ parameters: UnsafePointer<AVCodecParameters>, timeBase: AVRational
  ) throws(Refusal) -> SoundDecoder {
    guard let codec = avcodec_find_decoder(parameters.pointee.codec_id) else {
      throw .notAudio("no decoder for the file's sound is installed")
    }
    let decoder = SoundDecoder(codec)
    try decoder.open(codec, parameters, timeBase)
    return decoder
  }

  private init(_ codec: UnsafePointer<AVCodec>) {
    name = String(cString: codec.pointee.name)
    frame = av_frame_alloc()
    context = avcodec_alloc_context3(codec)
  }

  private func open(
    _ codec: UnsafePointer<AVCodec>, _ parameters: UnsafePointer<AVCodecParameters>,
    _ timeBase: AVRational
  ) throws(Refusal) {
    guard let context, frame != nil else {
      throw Refusal(cause: .resource(ENOMEM), text: "out of memory")
    }
    avcodec_parameters_to_context(context, parameters)
    context.pointee.pkt_timebase = timeBase
    context.pointee.thread_count = 1
    context.pointee.max_samples = Self.mostSamples
    guard avcodec_open2(context, codec, nil) == 0 else {
      throw .notAudio("the file's sound (\(name)) cannot be decoded")
    }
  }

  deinit {
    av_frame_free(&frame)
    avcodec_free_context(&context)
  }

  /// Bits a second as the stream tells them; 0 when unknown.
  var bitRate: Int64 { context?.pointee.bit_rate ?? 0 }

  /// Bytes of one sample of all channels; 0 when the codec is not plain PCM.
  var bytesPerSample: Int32 {
    guard let context else { return 0 }
    return av_get_exact_bits_per_sample(context.pointee.codec_id) / 8
      * context.pointee.ch_layout.nb_channels
  }

  /// Hands a packet over; `nil` tells the end of the stream.
  func send(_ packet: UnsafeMutablePointer<AVPacket>?) {
    if let packet { dropPartialSample(packet) }
    let result = avcodec_send_packet(context, packet)
    if result < 0, result != AVFailure.end { damagedPackets += 1 }
  }

  enum Outcome {
    case frame
    case needsPacket
    case end
  }

  func receive() -> Outcome {
    while true {
      let result = avcodec_receive_frame(context, frame)
      if result == 0 { return .frame }
      if result == AVFailure.again { return .needsPacket }
      if result == AVFailure.end { return .end }
      damagedPackets += 1
      if damagedPackets > 1_000_000 { return .end }
    }
  }

  /// Forgets what it has seen, before it is fed from another place of the file.
  func flush() { avcodec_flush_buffers(context) }

  /// PCM cut in the middle of a sample ends at the last whole one.
  private func dropPartialSample(_ packet: UnsafeMutablePointer<AVPacket>) {
    let whole = bytesPerSample
    guard whole > 0, packet.pointee.size > whole else { return }
    av_shrink_packet(packet, packet.pointee.size / whole * whole)
  }
}
