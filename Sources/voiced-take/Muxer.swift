import CAV
import Glibc

/// Puts an encoder's packets into a container, in a file that we opened.
///
/// FFmpeg keeps an entry of 88 bytes for every packet of an MP4 until the file ends: 15 MB in two hours
/// of AAC. So the packets of such a file are written where they belong without it, and only their sizes
/// are kept; at the end the muxer gets them all at once, read back from where they are, and writes its
/// index behind them.
final class Muxer {
  private let file: OpenFile
  private let output: CodecOutput
  private var context: UnsafeMutablePointer<AVFormatContext>?
  private var stream: UnsafeMutablePointer<AVStream>?
  /// What the times of packets count.
  private var timeBase = AVRational()
  /// `nil` when the container needs no index.
  private var index: PacketIndex?

  init(_ file: OpenFile, container: String) throws(TakeFailure) {
    self.file = file
    output = try CodecOutput(file)
    try check(avformat_alloc_output_context2(&context, nil, container, nil))
    context?.pointee.pb = output.context
  }

  deinit { avformat_free_context(context) }

  /// Whether the encoder has to leave its description to the container's header.
  var wantsGlobalHeader: Bool {
    (context?.pointee.oformat.pointee.flags ?? 0) & AVFMT_GLOBALHEADER != 0
  }

  /// Writes what comes before the packets of this encoder, which is open.
  func begin(
    _ encoder: UnsafeMutablePointer<AVCodecContext>, hasIndex: Bool
  ) throws(TakeFailure) {
    stream = avformat_new_stream(context, nil)
    guard let stream else { throw TakeFailure(codec: "written", code: -ENOMEM) }
    try check(avcodec_parameters_from_context(stream.pointee.codecpar, encoder))
    timeBase = encoder.pointee.time_base
    stream.pointee.time_base = timeBase
    try check(avformat_write_header(context, nil))
    guard hasIndex else { return }
    avio_flush(output.context)
    try check(0)
    index = PacketIndex(file, start: output.position)
  }

  /// Takes a packet; what it refers to stays the caller's.
  func write(_ packet: UnsafeMutablePointer<AVPacket>) throws(TakeFailure) {
    if index != nil {
      try index?.add(packet.pointee)
    } else {
      try put(packet)
    }
  }

  /// Makes the file whole.
  func finish() throws(TakeFailure) {
    if var index {
      self.index = nil
      var packet = av_packet_alloc()
      defer { av_packet_free(&packet) }
      guard let packet else { throw TakeFailure(codec: "written", code: -ENOMEM) }
      while try index.next(into: packet) {
        // Written again, two hours would have to go to the disk again.
        output.presentEnd = index.end
        try put(packet)
        av_packet_unref(packet)
      }
      avio_flush(output.context)
      output.presentEnd = 0
      try check(output.position == index.end ? 0 : -EIO)
    }
    try check(av_write_trailer(context))
    avio_flush(output.context)
    try check(0)
  }

  private func put(_ packet: UnsafeMutablePointer<AVPacket>) throws(TakeFailure) {
    guard let stream else { return }
    av_packet_rescale_ts(packet, timeBase, stream.pointee.time_base)
    try check(av_write_frame(context, packet))
  }

  private func check(_ code: Int32) throws(TakeFailure) {
    // What the file said is truer than the number FFmpeg made of it.
    if let failure = output.failure { throw failure }
    if code < 0 { throw TakeFailure(codec: "written", code: code) }
  }
}
