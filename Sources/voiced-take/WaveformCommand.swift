import CAV
import Glibc
import VoiceAudio
import VoiceCore

/// Prints the waveform of any audio file, from the file's own frames at the file's own rate.
struct WaveformCommand {
  let path: String
  let export: WaveformExport
  let isPacked: Bool

  init(path: String, export name: String, isPacked: Bool) throws(TakeFailure) {
    guard let export = WaveformExport(rawValue: name) else {
      let names = WaveformExport.allCases.map(\.name).joined(separator: ", ")
      throw TakeFailure(.invalidValue, "there is no waveform \"\(name)\"; there are \(names)")
    }
    guard export.isBytes || !isPacked else {
      throw TakeFailure(.invalidValue, "the waveform \"\(name)\" has no packed form")
    }
    self.path = path
    self.export = export
    self.isPacked = isPacked
  }

  /// One line, a JSON array or base64, and whether the file is known to be cut short.
  func result() throws(TakeFailure) -> (line: String, isCutShort: Bool) {
    let (builder, isCutShort) = try measure(open())
    return (line(of: builder), isCutShort)
  }

  private func line(of builder: WaveformBuilder) -> String {
    if isPacked { return base64(builder.values(for: export)?.map { UInt8(clamping: $0) } ?? []) }
    // Four decimals are finer than any bar.
    let numbers =
      builder.values(for: export)?.map { Json.integer(Int64($0)) }
      ?? builder.waveform.values.map { Json.number($0, decimals: 4) }
    return Json.array(numbers).text
  }

  private func open() throws(TakeFailure) -> OpenFile {
    let descriptor = Glibc.open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
    guard descriptor >= 0 else {
      let reason = String(cString: strerror(errno))
      throw TakeFailure(.noSuchTarget, "\(path) could not be opened: \(reason)")
    }
    let file = OpenFile(descriptor: descriptor, path: path)
    var facts = stat()
    guard fstat(descriptor, &facts) == 0, facts.st_mode & S_IFMT == S_IFREG else {
      throw TakeFailure(.notAudio, "\(path) is not a regular file")
    }
    // From here on the kernel, too, sees to it that no other file is opened.
    var limit = rlimit(rlim_cur: UInt(descriptor) + 1, rlim_max: UInt(descriptor) + 1)
    setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    return file
  }

  private func measure(
    _ file: OpenFile
  ) throws(TakeFailure) -> (builder: WaveformBuilder, isCutShort: Bool) {
    do throws(WavFault) {
      let wav = try WavFile(size: file.size, read: file.read)
      return (measure(file, wav), wav.condition == .truncated)
    } catch {
      switch error {
      case .notWav, .unsupported, .noFormat: return (try decode(file), false)
      default: throw TakeFailure(.notAudio, "\(path) is not audio: \(error.text)")
      }
    }
  }

  /// Plain PCM is read without FFmpeg.
  private func measure(_ file: OpenFile, _ wav: WavFile) -> WaveformBuilder {
    var meter = LoudestChannel(rate: Int(wav.format.rate), channels: wav.format.channels)
    var samples = [[Float]](repeating: [], count: wav.format.channels)
    let frame = UInt64(wav.format.frameBytes)
    let most = max(1, 131_072 / frame)
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: Int(most * frame), alignment: 16)
    defer { buffer.deallocate() }
    var done: UInt64 = 0
    while done < wav.frames {
      let wanted = Int(min(most, wav.frames - done) * frame)
      let part = UnsafeMutableRawBufferPointer(rebasing: buffer[..<wanted])
      let count = file.read(at: wav.start + done * frame, into: part) / Int(frame)
      guard count > 0 else { break }
      let bytes = UnsafeRawBufferPointer(rebasing: part[..<(count * Int(frame))])
      for channel in samples.indices {
        wav.format.copy(channel: channel, of: bytes, to: &samples[channel])
      }
      meter.add(samples)
      done += UInt64(count)
    }
    meter.finish()
    return meter.builder
  }

  private func decode(_ file: OpenFile) throws(TakeFailure) -> WaveformBuilder {
    let reader = try CodecReader(file)
    var meter: LoudestChannel?
    var samples: [[Float]] = []
    reader.decode { frame in
      guard frame.nb_samples > 0, frame.sample_rate > 0, frame.channels > 0 else { return }
      if meter == nil {
        meter = LoudestChannel(rate: Int(frame.sample_rate), channels: frame.channels)
        samples = Array(repeating: [], count: frame.channels)
      }
      guard let rate = meter?.rate else { return }
      for channel in samples.indices {
        frame.copy(channel: min(channel, frame.channels - 1), to: &samples[channel])
        if rate != Int(frame.sample_rate) {
          samples[channel].stretch(from: Int(frame.sample_rate), to: rate)
        }
      }
      meter?.add(samples)
    }
    meter?.finish()
    guard let meter else {
      throw TakeFailure(.notAudio, "\(path) holds no sound that can be decoded")
    }
    return meter.builder
  }
}

extension [Float] {
  /// Brings a stretch to another rate by its nearest samples: loudness and peaks stay.
  ///
  /// Only for the rare file that changes its rate on the way.
  mutating func stretch(from: Int, to: Int) {
    let old = self
    self = (0..<(old.count * to / from)).map { old[$0 * from / to] }
  }
}

/// RFC 4648 base64 with padding.
func base64(_ bytes: [UInt8]) -> String {
  let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
  var out: [UInt8] = []
  for start in stride(from: 0, to: bytes.count, by: 3) {
    let group = (0..<3).map { start + $0 < bytes.count ? Int(bytes[start + $0]) : 0 }
    let value = group[0] << 16 | group[1] << 8 | group[2]
    for digit in 0..<4 {
      let isThere = start + digit <= bytes.count
      out.append(isThere ? letters[value >> (18 - 6 * digit) & 63] : UInt8(ascii: "="))
    }
  }
  return String(decoding: out, as: UTF8.self)
}
