import Glibc
import VoiceAudio
import VoiceCore

/// A recording in the making: encoded as its frames come, into `recordings/take-N.EXT.part`.
///
/// Frames are mono, 48 kHz, finite and within full scale.
final class Recording {
  private let folder: StateFolder
  private let take: UInt32
  private let format: Format
  private let exports: [WaveformExport]
  private let file: OpenFile
  private let sink: any FrameSink
  private let resampler: Resampler?
  private var builder: WaveformBuilder
  private(set) var isFinished = false

  /// Frames taken so far.
  var frames: UInt64 { UInt64(builder.frames) }
  /// The bars of the frames so far, and the loudest sample.
  var waveform: (values: [Double], peak: Double) { (builder.waveform.values, builder.peak) }

  init(
    _ folder: StateFolder, take: UInt32, format: Format, exports: [WaveformExport],
    gain: Double = 0
  ) throws(TakeFailure) {
    self.folder = folder
    self.take = take
    self.format = format
    self.exports = exports
    let part = "." + format.fileExtension + ".part"
    let file = try folder.create(.recordings, take: take, suffix: part)
    do throws(TakeFailure) {
      if let recipe = CodecRecipe(format) {
        sink = try CodecSink(file, recipe)
      } else {
        let encoding = format == .wav ? WavEncoding.float32 : .signed16
        sink = try WavSink(file, WavFormat(encoding: encoding, rate: UInt32(format.rate)))
      }
      resampler = format.rate == 48_000 ? nil : try Resampler(from: 48_000, to: UInt32(format.rate))
    } catch {
      file.remove()
      throw error
    }
    self.file = file
    builder = WaveformBuilder(rate: 48_000, gain: gain)
  }

  func append(_ chunk: [Float], count: Int) throws(TakeFailure) {
    builder.add(chunk.span.extracting(first: count))
    let result = chunk.withUnsafeBufferPointer { buffer in
      Result { () throws(TakeFailure) in
        let frames = UnsafeBufferPointer(rebasing: buffer[..<count])
        if let resampler {
          try resampler.append(frames, sink.append)
        } else {
          try sink.append(frames)
        }
      }
    }
    try result.get()
  }

  /// Frames after the last one that a change of rate looks at.
  var lookahead: Int { resampler == nil ? 0 : 256 }

  /// Makes the file whole; the second time it does nothing.
  ///
  /// `beyond` are frames that followed the last one.
  func finish(beyond: [Float] = []) throws(TakeFailure) {
    guard !isFinished else { return }
    try resampler?.finish(beyond: beyond, sink.append)
    try sink.finish()
    isFinished = true
  }

  /// Gives the finished file its final name, with its facts beside it.
  ///
  /// `missed` are the seconds that the ring lost before they were read.
  func publish(missed: Double) throws(TakeFailure) -> RecordingFacts {
    try finish()
    try file.sync()
    // Somebody may have deleted the folder meanwhile.
    try folder.make()
    let rate = UInt32(format.rate)
    var facts = RecordingFacts(
      path: "", duration: Double((frames * UInt64(rate) + 24_000) / 48_000) / Double(rate),
      bytes: file.size, rate: rate, mediaType: format.mediaType,
      waveform: builder.waveform.values, peak: builder.peak, missed: missed)
    // Raw values are the waveform's own: that they were asked for is all there is to add.
    for export in exports { facts.exports[export.name] = builder.values(for: export) ?? [] }
    for stem in folder.stems(take) {
      facts.path = folder.folder(.recordings) + "/" + stem + "." + format.fileExtension
      // The facts go first and claim the name, so that no recording is ever without them.
      guard let info = try folder.create(.recordings, name: stem + ".info") else { continue }
      do throws(TakeFailure) {
        try info.write(Array(TakeReport.ready(facts).message.lines.utf8), at: 0)
        try info.sync()
        if try file.move(to: facts.path) { return facts }
        info.remove()
      } catch {
        info.remove()
        throw error
      }
    }
    throw TakeFailure("made", facts.path, code: EEXIST)
  }

  func discard() { file.remove() }
}

extension ControlMessage {
  /// The fields as text, one `key=value` a line, keys in order.
  ///
  /// A value of several lines has no place in it and is left out.
  var lines: String {
    var text = ""
    for key in fields.keys.sorted() {
      let value = fields[key, default: ""]
      if !value.utf8.contains(UInt8(ascii: "\n")) { text += key + "=" + value + "\n" }
    }
    return text
  }
}

extension Format {
  init(named name: String) throws(TakeFailure) {
    guard let format = Self(rawValue: name) else {
      let names = Self.allCases.map(\.rawValue).joined(separator: ", ")
      throw TakeFailure(.invalidValue, "there is no format \"\(name)\"; there are \(names)")
    }
    self = format
  }
}
