import Glibc
import Testing
import VoiceIO
import VoiceTestKit

/// What microphones with several channels, or with samples that are none, come to.
@Suite("Channels", .lane)
struct ChannelTests {
  private static let voice = Sound.sine(1, amplitude: 0.5, hertz: 440)
  private static let nothing = Sound.silence(1)

  /// A microphone's channels; all of these hold a tone of 0.5 and are to be heard as one.
  private static let layouts: [(name: String, channels: [[Float]], positions: [String])] = [
    ("left", [voice, nothing], ["FL", "FR"]),
    ("right", [nothing, voice], ["FL", "FR"]),
    ("antiphase", [voice, voice.map { -$0 }], ["FL", "FR"]),
    ("aux", [nothing, nothing, voice, nothing], ["AUX0", "AUX1", "AUX2", "AUX3"]),
    (
      "surround", [nothing, nothing, voice, nothing, nothing, nothing],
      ["FL", "FR", "FC", "LFE", "RL", "RR"]
    ),
    ("offset", [voice.map { $0 * 0.5 + 0.3 }], []),
    ("broken", [broken], []),
  ]

  /// A tone with samples in it that are no numbers, and others far beyond full scale.
  private static let broken: [Float] = {
    var samples = voice
    for (index, value) in [Float.nan, .infinity, -.infinity, .signalingNaN].enumerated() {
      samples[12_000 + index * 7] = value
    }
    return samples
  }()

  // In two halves: seven microphones and takes at once are a lot for a small machine.
  @Test(
    "one-sided, anti-phase, AUX, 5.1 with the voice in the centre, DC, non-finite: heard right",
    arguments: 0..<2)
  func layouts(half: Int) throws {
    let stage = try Stage(.running)
    let owners = [stage.client, try stage.rig.client()]
    var running: [(name: String, owner: BusClient, path: String, take: UInt32)] = []
    for (index, layout) in Self.layouts.enumerated() where index % 2 == half {
      stage.rig.add(
        try VirtualMicrophone(
          stage.rig.audio, name: layout.name, channels: layout.channels,
          positions: layout.positions, seconds: 30))
      let owner = owners[index / 2 % 2]
      let path = try #require(
        try owner.manager(
          "CreateRecorder",
          [
            .dictionary([
              "Source": .string("microphone"), "Target": .string(layout.name),
              "Format": .string("wav16k"),
            ])
          ]
        ).first?.text)
      running.append((layout.name, owner, path, try owner.verb("Start", path: path)))
    }
    for (_, owner, path, take) in running {
      try owner.signal("Notice", within: 15, path: path) {
        $0.arguments[0].text == "started" && $0.take == take
      }
    }
    for owner in owners { owner.listen(0.7) }
    for (name, owner, path, take) in running {
      #expect(try owner.verb("Send", path: path) == take)
      let recording = try Recording(owner.ending(take, within: 15))
      let file = try recording.sound()
      let amplitude = name == "offset" ? 0.25 : 0.5
      let heard = try medianTone(of: file)
      #expect(abs(heard - amplitude) < 0.06, "\(name): a tone of \(heard)")
      #expect(file.channels[0].allSatisfy { $0.isFinite && abs($0) <= 1 }, "\(name)")
      let level = stage.levels(of: owner, path: path).max() ?? 0
      let wanted = LoudnessCurve.loudness(power: amplitude * amplitude / 2)
      #expect(abs(level - wanted) < 0.05, "\(name): level \(level), right is \(wanted)")
      #expect(recording.waveform.allSatisfy { (0...1).contains($0) }, "\(name)")
      #expect(recording.verdict == (name == "broken" ? recording.verdict : "ok"), "\(name)")
    }
  }

  /// The tone in the middle one of all stretches of 50 ms: an audio server that comes too late on a
  /// busy machine spoils a few of them.
  private func medianTone(of file: WaveFile) throws -> Double {
    let length = file.rate / 20
    let samples = file.channels[0]
    let tones = stride(from: 0, through: samples.count - length, by: length).map {
      tone(440, in: samples[$0..<($0 + length)], rate: file.rate)
    }.sorted()
    return try #require(tones.dropFirst(tones.count / 2).first)
  }

  @Test("denormals are silence and cost nothing")
  func denormals() throws {
    let stage = try Stage(.running)
    _ = try stage.rig.microphone(
      "mine", [Float](repeating: Float(bitPattern: 71_362), count: Sound.rate))
    try stage.use("microphone", "mine")
    let take = try stage.begin()
    let source = try stage.daemon.child("voiced-source")
    let before = source.processorTime
    stage.client.listen(1)
    let used = source.processorTime &- before
    #expect(isSanitized || used < 150_000_000, "\(used) ns in a second")
    let recording = try stage.send(take)
    #expect(recording.verdict == "none")
    #expect(stage.levels().allSatisfy { $0 == 0 })
    #expect(try recording.sound().channels[0].allSatisfy { $0 == 0 })
  }
}

extension Stage {
  /// Levels that one client was told of one object.
  func levels(of owner: BusClient, path: String) -> [Double] {
    owner.received.filter { $0.member == "Level" && $0.signal.path == path }
      .compactMap { $0.arguments.first?.number }
  }
}
