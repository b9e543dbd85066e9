import Testing
import VoiceCore
import VoiceIO
import VoiceTestKit

@Suite(.serialized) struct FormatTests {
  /// Codec and rate that a decoder sees.
  private func expected(_ format: Format) -> (codec: String, rate: Int) {
    switch format {
    case .m4a: ("aac", 24_000)
    case .opus, .opus16k: ("opus", 48_000)
    case .wav16k: ("pcm_s16le", 16_000)
    case .wav: ("pcm_f32le", 48_000)
    case .flac: ("flac", 48_000)
    }
  }

  @Test(
    "five seconds are five seconds, from the first click to the last", arguments: Format.allCases)
  func exact(format: Format) throws {
    let rig = try TakeRig()
    rig.open(format)
    // What is before the take and behind it must not be in it.
    rig.push(clicks(frames: 1000, amplitude: 1).map { $0 == 0 ? 0.5 : $0 })
    rig.send(.begin(frame: 1000))
    rig.push(clicks(frames: 240_000))
    rig.push([Float](repeating: 0.5, count: 4000))
    rig.send(.cut(frame: 241_000))
    rig.send(.keep)
    let facts = try rig.ready()
    #expect(facts.duration == 5)
    #expect(facts.rate == UInt32(format.rate))
    #expect(facts.mediaType == format.mediaType)
    #expect(facts.path == "\(rig.state)/recordings/take-7.\(format.fileExtension)")
    #expect(facts.bytes == UInt64(bytes(of: facts.path).count))
    #expect(facts.missed == 0)
    #expect(abs(facts.peak - 0.8) < 0.001)

    let heard = try Heard(facts.path)
    #expect(heard.codec == expected(format).codec)
    #expect(heard.rate == expected(format).rate)
    #expect(heard.channels == 1)
    #expect(heard.warnings == "")
    let frame = format == .m4a ? 1024.0 / 24_000 : 0
    #expect((5...5 + frame).contains(heard.duration))
    #expect(abs(heard.claimed - 5) < 0.01)
    let times = heard.clicks(above: 0.2)
    #expect(times.count == 250)
    for index in 0..<250 {
      let click = Double(index) * 0.02
      #expect(heard.peak(from: click, to: click + 0.003) > 0.3, "click \(index)")
    }
    #expect(times.first ?? 1 < 0.001)
    #expect(heard.peak(from: 4.985, to: 5) < 0.2)
    #expect(heard.peak < 1)
    #expect(rig.process.wait(5) == .exited(0))
    let names = ["recordings/take-7.\(format.fileExtension)", "recordings/take-7.info"]
    #expect(rig.files() == names.sorted())
  }

  @Test("odd lengths are exact too", arguments: Format.allCases, [1, 961, 48_001])
  func oddLengths(format: Format, frames: Int) throws {
    let rig = try TakeRig()
    rig.open(format)
    rig.send(.begin(frame: 0))
    rig.push(clicks(frames: 50_000))
    rig.send(.cut(frame: UInt64(frames)))
    rig.send(.keep)
    let facts = try rig.ready()
    #expect(abs(facts.duration - Double(frames) / 48_000) <= 0.500_001 / Double(facts.rate))
    guard frames > 1 else { return }
    let heard = try Heard(facts.path)
    let slack = format == .m4a ? 1024.0 / 24_000 : 0.0001
    #expect(heard.duration >= facts.duration - 0.0001)
    #expect(heard.duration <= facts.duration + slack)
    #expect(heard.warnings == "")
  }

  @Test("16-bit WAV is for readers that know 44 bytes of header and nothing else")
  func plainWav() throws {
    let rig = try TakeRig()
    rig.open(.wav16k)
    rig.send(.begin(frame: 0))
    rig.push(clicks(frames: 48_000))
    rig.send(.keep)
    let content = bytes(of: try rig.ready().path)
    #expect(content.count == 44 + 32_000)
    #expect(Array(content[36..<40]) == Array("data".utf8))
  }

  @Test("what the file holds is told beside it, with every waveform asked for")
  func facts() throws {
    let rig = try TakeRig()
    rig.open(.opus, waveforms: ["matrix", "telegram", "whatsapp", "none-such"])
    rig.send(.begin(frame: 0))
    rig.push(clicks(frames: 144_000))
    rig.send(.keep)
    let facts = try rig.ready()
    #expect(facts.waveform.count == 60)
    #expect(facts.exports.mapValues(\.count) == ["matrix": 100, "telegram": 63, "whatsapp": 64])
    var fields: [String: String] = [:]
    let info = String(decoding: bytes(of: "\(rig.state)/recordings/take-7.info"), as: UTF8.self)
    for line in info.split(separator: "\n") {
      let pair = line.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      fields[String(pair[0])] = String(pair[1])
    }
    #expect(RecordingFacts(fields: fields) == facts)
  }
}
