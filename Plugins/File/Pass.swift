import CAV

/// One way through a file, from its first frame (or `start`) to its last.
///
/// `next` gives sound at 48 kHz, all channels as the file has them, until it answers `nil`. Used by one
/// thread at a time.
final class Pass {
  /// A piece of sound, valid until `next` is called again.
  struct Slice {
    let block: SoundBlock
    let frames: Int
  }

  let demuxer: Demuxer
  private(set) var decoder: SoundDecoder?
  /// What was found on the way, for the report at the end.
  private(set) var findings = Findings()

  private var packet = av_packet_alloc()
  private var start: StartPoint
  private var isDraining = false
  /// Packets that went into the decoder.
  private var decodedPackets: Int64 = 0
  private var isOver = false
  private var stage = Stage.decoding
  /// The decoded block that is being worked off, and how much of it has been.
  private var frameOffset = 0
  private var frameCount = 0
  private var section: Section?

  /// Seconds from the first frame of the file to where this pass is; `nil` before it reached `start`.
  var secondsReached: Double? { start.skippedSeconds.map { $0 + findings.seconds } }

  private let noSound = SoundBlock(channels: 1, capacity: 1)

  /// Packets that are passed over at a time.
  private static let stride: Int64 = 256
  /// Packets of which none decoded, after which the rest is not tried.
  private static let longestSearch: Int64 = 5_000

  private enum Stage {
    case decoding
    case closingSection
  }

  static func open(
    _ file: AudioFile, start: Double, analysing: Bool, quit: UnsafePointer<StopFlag>?
  ) throws(Refusal) -> Pass {
    let pass = Pass(file, start, quit)
    try pass.demuxer.open(analysing: analysing)
    if let parameters = pass.demuxer.parameters { try pass.open(parameters) }
    return pass
  }

  private init(_ file: AudioFile, _ start: Double, _ quit: UnsafePointer<StopFlag>?) {
    self.start = StartPoint(seconds: start)
    demuxer = Demuxer(file, quit: quit)
  }

  deinit { av_packet_free(&packet) }

  /// The next piece of sound, or `nil` at the end.
  ///
  /// On the way to a distant `start` pieces without frames come now and then, so that a caller who has
  /// little time can leave.
  func next() -> Slice? {
    while !isOver {
      if stage == .closingSection, let section {
        let frames = section.drain()
        if frames > 0 { return slice(section.output, frames) ?? next() }
        self.section = nil
        stage = .decoding
        if isDraining, frameCount == 0 { isOver = true }
        continue
      }
      if frameOffset < frameCount {
        if let piece = convert() { return piece }
        continue
      }
      switch receive() {
      case .frame: break
      case .pause: return Slice(block: noSound, frames: 0)
      case .end: if section != nil { stage = .closingSection } else { isOver = true }
      }
    }
    return nil
  }

  private enum Reception {
    case frame
    case pause
    case end
  }

  /// Decodes until a frame is there.
  private func receive() -> Reception {
    frameCount = 0
    frameOffset = 0
    while true {
      switch decoder?.receive() ?? .needsPacket {
      case .frame:
        guard let decoder, let frame = decoder.frame, frame.pointee.nb_samples > 0 else { continue }
        if start.skips(frame, demuxer, decoder) { continue }
        guard Section.accepts(frame) else {
          findings.strangeFrames += 1
          continue
        }
        frameCount = Int(frame.pointee.nb_samples)
        return .frame
      case .end: return .end
      case .needsPacket:
        if isDraining { return .end }
        feed()
        if start.isPassing, findings.packets % Self.stride == 0 { return .pause }
      }
    }
  }

  /// Moves one packet from the container to the decoder.
  private func feed() {
    guard let packet, demuxer.read(into: packet) == .packet else {
      isDraining = true
      decoder?.send(nil)
      return
    }
    findings.packets += 1
    if decoder == nil, let parameters = demuxer.parameters { try? open(parameters) }
    if !start.passes(packet) {
      decoder?.send(packet)
      decodedPackets += 1
      if findings.channels == 0, decodedPackets > Self.longestSearch { isDraining = true }
    }
    av_packet_unref(packet)
  }

  private func open(_ parameters: UnsafePointer<AVCodecParameters>) throws(Refusal) {
    decoder = try SoundDecoder.open(parameters, timeBase: demuxer.timeBase)
  }

  /// Brings the next part of the decoded block to the output's form.
  private func convert() -> Slice? {
    guard let frame = decoder?.frame else { return nil }
    if section?.fits(frame) != true {
      if section != nil {
        stage = .closingSection
        return nil
      }
      section = try? Section.open(frame)
    }
    guard let section else {
      frameOffset = frameCount
      findings.strangeFrames += 1
      return nil
    }
    let count = min(section.inputFrames, frameCount - frameOffset)
    findings.seconds += Double(count) / Double(section.rate)
    findings.note(section)
    let frames = section.convert(frame, from: frameOffset, count: count, &findings.silenced)
    frameOffset += count
    return slice(section.output, frames)
  }

  /// What is left of a piece after the part before `start`; `nil` when that is nothing.
  private func slice(_ block: SoundBlock, _ frames: Int) -> Slice? {
    let drop = start.drop(from: frames)
    guard frames > drop else { return nil }
    if drop > 0 {
      for channel in 0..<block.channels {
        block[channel].update(from: block[channel] + drop, count: frames - drop)
      }
    }
    findings.framesGiven += Int64(frames - drop)
    return Slice(block: block, frames: frames - drop)
  }
}
