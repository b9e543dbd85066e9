import CAV

/// The container of a file, opened for its sound alone.
///
/// Three walls keep it at its one descriptor: only formats that hold sound themselves are taken (no
/// playlist, no concat script, no image sequence), no protocol may be opened, and the call by which a
/// format asks for another file always fails.
final class Demuxer {
  private let io: FileIO
  private var context: UnsafeMutablePointer<AVFormatContext>?
  private var stream: UnsafeMutablePointer<AVStream>?
  /// Errors in a row; a damaged file is read on, but not for ever.
  private var failures = 0
  /// The container broke off or a packet of it did.
  private(set) var isDamaged = false

  private static let mostFailures = 1000
  /// Bytes of sound-less material after which a file without a stream list is called silent.
  private static let longestSearch: Int64 = 16 << 20
  /// Bytes looked at to tell what a file is; ID3 tags do not count.
  private static let probeSize: UInt32 = 1 << 20
  /// Below this the libraries only guess: random bytes hold something like an MP3 frame somewhere.
  private static let leastScore: Int32 = 12

  /// Names of the formats that are taken, as FFmpeg calls them.
  private static let formats = """
    wav,w64,aiff,au,caf,flac,mp3,ogg,mov,matroska,aac,loas,ac3,eac3,dts,dtshd,mlp,truehd,wv,ape,tta,\
    tak,mpc,mpc8,amr,asf,xwma,avi,flv,mpegts,mpeg,nut,rm,oma,voc,sox,ircam,nistsphere,dsf,iff,shn,\
    paf,pvf,qcp,wve,vqf,adx,brstm,epaf,gsm,wsd,rso,lc3
    """

  /// Nothing is open yet; `open` follows.
  ///
  /// Two steps, because an initialiser that throws leaks the half-made object in Embedded Swift.
  init(_ file: AudioFile, quit: UnsafePointer<StopFlag>?) { io = FileIO(file, quit: quit) }

  /// Opens the container and finds its sound; once.
  ///
  /// `analysing` decodes a little of it beforehand: a few raw streams tell what they are in no other way.
  func open(analysing: Bool) throws(Refusal) {
    guard io.context != nil else {
      throw Refusal(cause: .resource(ENOMEM), text: "out of memory")
    }
    let format = try recognise()
    guard let context = avformat_alloc_context() else {
      throw Refusal(cause: .resource(ENOMEM), text: "out of memory")
    }
    context.pointee.pb = io.context
    context.pointee.flags |= AVFMT_FLAG_CUSTOM_IO
    context.pointee.io_open = { _, _, _, _, _ in -EPERM }
    var options: OpaquePointer?
    av_dict_set(&options, "protocol_whitelist", "none", 0)
    av_dict_set(&options, "format_whitelist", Self.formats, 0)
    if isOverlongWAV { av_dict_set(&options, "ignore_length", "1", 0) }
    self.context = context
    // What follows the sound of a WAV is not needed, and looking for chunks in it can take minutes.
    let isStream = WAVHeader(io.file)?.isFormatFirst == true
    if isStream { io.context?.pointee.seekable = 0 }
    let result = avformat_open_input(&self.context, "", format, &options)
    io.context?.pointee.seekable = Int32(AVIO_SEEKABLE_NORMAL)
    av_dict_free(&options)
    guard result == 0 else {
      self.context = nil  // the library has freed it
      throw failure(result, format)
    }
    if analysing { avformat_find_stream_info(self.context, nil) }
    try findSound()
  }

  deinit { avformat_close_input(&context) }

  /// What the container calls itself, for a person.
  var formatName: String {
    guard let name = context?.pointee.iformat?.pointee.name else { return "unknown" }
    return String(cString: name)
  }

  /// The parameters of the stream that is played; `nil` until it has appeared.
  var parameters: UnsafeMutablePointer<AVCodecParameters>? { stream?.pointee.codecpar }

  /// Seconds of one unit of the stream's time stamps.
  var timeBase: AVRational { stream?.pointee.time_base ?? AVRational(num: 1, den: 1) }

  /// Seconds that the container says the sound lasts; `nil` when it does not say, or only guesses.
  var claimedSeconds: Double? {
    guard let context, let stream else { return nil }
    let own = stream.pointee.duration
    if own != noTime, own > 0 { return Double(own) * av_q2d(stream.pointee.time_base) }
    let whole = context.pointee.duration
    guard context.pointee.nb_streams == 1, whole != noTime, whole > 0 else { return nil }
    return Double(whole) / Double(AV_TIME_BASE)
  }

  enum Outcome {
    case packet
    case end
  }

  /// Reads the next packet of the sound into `packet`, which holds nothing before.
  func read(into packet: UnsafeMutablePointer<AVPacket>) -> Outcome {
    guard let context else { return .end }
    while true {
      let result = av_read_frame(context, packet)
      if result == AVFailure.end || result == AVFailure.exit { return .end }
      guard result >= 0 else {
        if result != AVFailure.again { isDamaged = true }
        failures += 1
        if failures > Self.mostFailures || io.readError != 0 { return .end }
        continue
      }
      adopt(packet.pointee.stream_index)
      if let stream, packet.pointee.stream_index == stream.pointee.index {
        failures = 0
        if packet.pointee.flags & AV_PKT_FLAG_CORRUPT != 0 { isDamaged = true }
        return .packet
      }
      av_packet_unref(packet)
      if stream == nil, let io = context.pointee.pb, avio_tell(io) > Self.longestSearch {
        return .end
      }
    }
  }

  private func avio_tell(_ io: UnsafeMutablePointer<AVIOContext>) -> Int64 {
    avio_seek(io, 0, SEEK_CUR)
  }

  /// Bytes of the file without its ID3 tags.
  var bytes: Int64 { io.file.size - io.file.head }

  var isWAV: Bool { formatName.utf8.elementsEqual("wav".utf8) }

  var isOgg: Bool { formatName.utf8.elementsEqual("ogg".utf8) }

  /// Goes to a time stamp or one before it; `false` when the container cannot.
  func seek(to time: Int64) -> Bool {
    guard let context, let stream else { return false }
    return av_seek_frame(context, stream.pointee.index, time, AVSEEK_FLAG_BACKWARD) >= 0
  }

  private func recognise() throws(Refusal) -> UnsafePointer<AVInputFormat> {
    guard io.file.size > 0 else { throw .notAudio("the file is empty") }
    var format: UnsafePointer<AVInputFormat>?
    let score = av_probe_input_buffer2(io.context, &format, "", nil, 0, Self.probeSize)
    guard score >= Self.leastScore, let format else {
      throw .notAudio("the file is not audio of any kind known here")
    }
    guard av_match_list(format.pointee.name, Self.formats, 0x2C) > 0 else {
      let kind = String(cString: format.pointee.name)
      throw .notAudio("the file is no audio: it looks like '\(kind)'")
    }
    return format
  }

  private func failure(_ code: Int32, _ format: UnsafePointer<AVInputFormat>) -> Refusal {
    if code == -ENOMEM {
      return .notAudio("the file's header asks for more memory than sound needs")
    }
    let name = format.pointee.name.map { String(cString: $0) } ?? ""
    if name.utf8.starts(with: "mov,".utf8) {
      return .notAudio("the file is unfinished: its index is missing or damaged")
    }
    return .notAudio("the file's header is damaged or unfinished (\(name))")
  }

  /// A RIFF size has 32 bits: in a longer file it has wrapped and only the file's own size is true.
  private var isOverlongWAV: Bool {
    guard io.file.size - io.file.head > Int64(UInt32.max) else { return false }
    return withUnsafeTemporaryAllocation(byteCount: 4, alignment: 1) { word in
      guard let bytes = word.baseAddress, io.file.read(bytes, 4, at: io.file.head) == 4 else {
        return false
      }
      return memcmp(bytes, "RIFF", 4) == 0
    }
  }

  /// Chooses the stream to play when the header lists them; else the first one that appears is it.
  private func findSound() throws(Refusal) {
    guard let context else { return }
    for index in 0..<context.pointee.nb_streams { adopt(Int32(index)) }
    if stream == nil, context.pointee.ctx_flags & AVFMTCTX_NOHEADER == 0 {
      throw .notAudio("the file has no audio stream")
    }
  }

  /// Takes a stream if it is the first with sound; the others are left out as early as possible.
  private func adopt(_ index: Int32) {
    guard let context, let candidate = context.pointee.streams[Int(index)] else { return }
    if stream == nil, candidate.pointee.codecpar.pointee.codec_type == AVMEDIA_TYPE_AUDIO {
      stream = candidate
    } else if candidate != stream {
      candidate.pointee.discard = AVDISCARD_ALL
    }
  }
}
