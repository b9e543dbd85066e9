import Glibc
import VoiceIO
import VoiceTestKit

/// What `Finished` told, and the file behind it.
struct Recording {
  let take: UInt32
  let uri: String
  let duration: Double
  let waveform: [Double]
  let details: [String: BusValue]

  init(_ finished: BusClient.Received) throws {
    let arguments = finished.arguments
    guard finished.member == "Finished", arguments.count == 5,
      let take = arguments[0].whole.flatMap({ UInt32(exactly: $0) }), let uri = arguments[1].text,
      let duration = arguments[2].number, let waveform = arguments[3].items,
      let details = arguments[4].entries
    else { throw RigFailure("no recording, but \(finished.member)\(arguments)") }
    self.take = take
    self.uri = uri
    self.duration = duration
    self.waveform = waveform.compactMap(\.number)
    self.details = details
  }

  var path: String { String(uri.dropFirst("file://".count)) }
  var ending: String? { details["ending"]?.text }
  var verdict: String? { details["verdict"]?.text }
  var gaps: Double { details["gaps"]?.number ?? -1 }
  var elapsed: Double { details["elapsed"]?.number ?? -1 }

  /// The file, which has to be a WAV.
  func sound() throws -> WaveFile { try WaveFile(path) }

  /// Which of some tones each quarter of a second holds: its number, or `.` for none.
  func tones(_ hertz: Double...) throws -> String {
    let file = try sound()
    let samples = file.channels[0]
    let length = file.rate / 4
    return stride(from: 0, through: samples.count - length, by: length).reduce(into: "") {
      text, start in
      let part = samples[start..<start + length]
      let found = hertz.firstIndex { tone($0, in: part, rate: file.rate) > 0.1 }
      text += found.map { "\($0)" } ?? "."
    }
  }
}

/// Amplitude of one frequency in a stretch of samples: the mean of its parts of 50 ms, so that a
/// leap of the phase in it, which a gap makes, does not cancel what is there.
func tone(_ hertz: Double, in samples: ArraySlice<Float>, rate: Int) -> Double {
  let length = rate / 20
  let parts = stride(from: samples.startIndex, through: samples.endIndex - length, by: length)
    .map { amplitude(of: hertz, in: samples[$0..<$0 + length], rate: rate) }
  return parts.isEmpty ? 0 : parts.reduce(0, +) / Double(parts.count)
}

private func amplitude(of hertz: Double, in samples: ArraySlice<Float>, rate: Int) -> Double {
  let step = 2 * Double.pi * hertz / Double(rate)
  var (a, b) = (0.0, 0.0)
  for (index, sample) in samples.enumerated() {
    a += Double(sample) * cos(step * Double(index))
    b += Double(sample) * sin(step * Double(index))
  }
  return 2 * sqrt(a * a + b * b) / Double(samples.count)
}

extension Recording {
  /// Seconds from click to click.
  func clickIntervals() throws -> [Double] {
    let file = try sound()
    var clicks: [Int] = []
    for (index, sample) in file.channels[0].enumerated() where abs(sample) > 0.2 {
      // The rest of a click is not another one.
      if clicks.last.map({ index - $0 > file.rate / 100 }) ?? true { clicks.append(index) }
    }
    return zip(clicks, clicks.dropFirst()).map { Double($1 - $0) / Double(file.rate) }
  }
}
