import CAV
import Glibc
import VoiceCore

/// Decodes the sound of a file with FFmpeg, opening nothing but the file it is given.
///
/// Only demuxers that read one file are allowed (no playlists, no scripts), no protocol is, and the
/// opening of further files is refused. Pictures and video are left alone.
final class CodecReader {
  /// Demuxers of files that hold sound in themselves.
  private static let demuxers = """
    aac,ac3,adx,aiff,amr,amrnb,amrwb,ape,asf,au,avi,brstm,caf,dsf,dts,dtshd,eac3,epaf,flac,flv,gsm,\
    iff,ircam,lc3,loas,matroska,webm,mlp,mov,mp4,m4a,3gp,3g2,mj2,mp2,mp3,mpc,mpc8,mpeg,mpegts,\
    nistsphere,nut,ogg,oma,paf,pvf,qcp,rm,rso,shn,sox,spdif,tak,truehd,tta,voc,vqf,w64,wav,wsd,wv,\
    wve,xwma
    """

  private let input: CodecInput
  private var demuxer: UnsafeMutablePointer<AVFormatContext>?
  private var decoder: UnsafeMutablePointer<AVCodecContext>?
  private var packet: UnsafeMutablePointer<AVPacket>?
  private var frame: UnsafeMutablePointer<AVFrame>?
  private var stream: Int32 = -1
  private let name: String

  init(_ file: OpenFile) throws(TakeFailure) {
    name = file.path
    input = try CodecInput(file)
    packet = av_packet_alloc()
    frame = av_frame_alloc()
    demuxer = avformat_alloc_context()
    guard let context = demuxer, packet != nil, frame != nil else {
      throw TakeFailure(codec: "read", code: -ENOMEM)
    }
    context.pointee.pb = input.context
    context.pointee.io_open = { _, _, _, _, _ in -EACCES }
    av_opt_set(context, "format_whitelist", Self.demuxers, 0)
    av_opt_set(context, "protocol_whitelist", "none", 0)
    // Frees the context when it fails.
    guard avformat_open_input(&demuxer, nil, nil, nil) >= 0 else {
      throw TakeFailure(.notAudio, "\(name) is not audio, or it is unfinished or damaged")
    }
    try findStream()
    try openDecoder()
  }

  deinit {
    avcodec_free_context(&decoder)
    avformat_close_input(&demuxer)
    av_frame_free(&frame)
    av_packet_free(&packet)
  }

  private func findStream() throws(TakeFailure) {
    guard let demuxer else { return }
    var found = audioStream
    if found == nil, demuxer.pointee.ctx_flags & AVFMTCTX_NOHEADER != 0 {
      // Some kinds tell their streams only as they are read.
      avformat_find_stream_info(demuxer, nil)
      found = audioStream
    }
    guard let found else { throw TakeFailure(.notAudio, "\(name) has no sound in it") }
    stream = found
    for index in 0..<Int(demuxer.pointee.nb_streams) where index != Int(found) {
      demuxer.pointee.streams[index]?.pointee.discard = AVDISCARD_ALL
    }
  }

  /// The stream of sound that the file marks as its usual one, else the first.
  ///
  /// FFmpeg's own choice would have to decode of every stream first, pictures too.
  private var audioStream: Int32? {
    guard let demuxer else { return nil }
    let sounds = (0..<Int(demuxer.pointee.nb_streams)).filter {
      let stream = demuxer.pointee.streams[$0]?.pointee
      return stream?.codecpar.pointee.codec_type == AVMEDIA_TYPE_AUDIO
    }
    let usual = sounds.first {
      (demuxer.pointee.streams[$0]?.pointee.disposition ?? 0) & AV_DISPOSITION_DEFAULT != 0
    }
    return (usual ?? sounds.first).map { Int32($0) }
  }

  private func openDecoder() throws(TakeFailure) {
    guard let source = demuxer?.pointee.streams[Int(stream)],
      let codec = avcodec_find_decoder(source.pointee.codecpar.pointee.codec_id)
    else { throw TakeFailure(.notAudio, "\(name) uses a coding that this FFmpeg cannot decode") }
    decoder = avcodec_alloc_context3(codec)
    guard let decoder else { throw TakeFailure(codec: "read", code: -ENOMEM) }
    decoder.pointee.thread_count = 1
    decoder.pointee.pkt_timebase = source.pointee.time_base
    guard avcodec_parameters_to_context(decoder, source.pointee.codecpar) >= 0,
      avcodec_open2(decoder, codec, nil) >= 0
    else { throw TakeFailure(.notAudio, "\(name) claims a format that cannot be decoded") }
  }

  /// Hands over every decoded frame up to the end of the file; what cannot be decoded is skipped.
  func decode(_ ready: (AVFrame) -> Void) {
    guard let packet else { return }
    while av_read_frame(demuxer, packet) >= 0 {
      if packet.pointee.stream_index == stream, avcodec_send_packet(decoder, packet) >= 0 {
        drain(ready)
      }
      av_packet_unref(packet)
    }
    avcodec_send_packet(decoder, nil)
    drain(ready)
  }

  private func drain(_ ready: (AVFrame) -> Void) {
    guard let frame else { return }
    while avcodec_receive_frame(decoder, frame) >= 0 {
      ready(frame.pointee)
      av_frame_unref(frame)
    }
  }
}
