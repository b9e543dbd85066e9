import Testing
import VoiceIO
import VoiceTestKit

/// Silence has a name: who hears nothing learns that it is the microphone, and nothing is deleted.
@Suite("Silence is named", .lane)
struct SilenceTests {
  /// A microphone, and what is to be said of it.
  private struct Case {
    let name: String
    let samples: [Float]
    let verdict: String
    var isMuted = false
  }

  private static func cases() throws -> [Case] {
    [
      Case(name: "zeros", samples: Sound.silence(1), verdict: "none"),
      // What a hardware mute leaves: never exact zero, always below -60 dBFS.
      Case(name: "hardware", samples: noise(peak: 0.0007), verdict: "none"),
      Case(
        name: "muted", samples: Sound.sine(1, hertz: 400), verdict: "none", isMuted: true),
      Case(name: "room", samples: noise(peak: 0.003), verdict: "low"),
      Case(name: "whisper", samples: try Sound.speech(4, peak: -46), verdict: "low"),
      Case(name: "quiet", samples: try Sound.speech(4, peak: -30), verdict: "ok"),
      Case(name: "loud", samples: Sound.sine(1, amplitude: 1.5), verdict: "clipped"),
    ]
  }

  /// Repeatable noise whose loudest sample is `peak`.
  private static func noise(peak: Float) -> [Float] {
    var random = SeededRandom(seed: 11)
    var samples = (0..<Sound.rate).map { _ in peak * Float.random(in: -1...1, using: &random) }
    samples[0] = peak
    return samples
  }

  // In two halves: eight microphones and takes at once are a lot for a small machine.
  @Test(
    "in takes: the verdict says which, one notice comes, the recording is whole", arguments: 0..<2)
  func takes(half: Int) throws {
    let stage = try Stage(.running)
    let owners = [stage.client, try stage.rig.client()]
    var running: [(Case, BusClient, path: String, take: UInt32)] = []
    let cases = try Self.cases().enumerated().filter { $0.offset % 2 == half }.map(\.element)
    let microphones = try cases.map { try stage.rig.microphone($0.name, $0.samples) }
    // Once all are plugged in: the policy mutes those as well that come after a muted one.
    for (item, microphone) in zip(cases, microphones) where item.isMuted {
      try microphone.mute(true)
    }
    for (index, item) in cases.enumerated() {
      let owner = owners[index % 2]
      let path = try #require(
        try owner.manager(
          "CreateRecorder",
          [
            .dictionary([
              "Source": .string("microphone"), "Target": .string(item.name),
              "Format": .string("wav16k"),
            ])
          ]
        ).first?.text)
      running.append((item, owner, path, try owner.verb("Start", path: path)))
    }
    for (_, owner, path, take) in running {
      try owner.signal("Notice", within: 15, path: path) {
        $0.arguments[0].text == "started" && $0.take == take
      }
    }
    for owner in owners { owner.listen(1.4) }
    for (item, owner, path, take) in running {
      if item.verdict == "none" {
        try owner.signal("Notice", within: 4, path: path) { $0.arguments[0].text == "silent" }
      }
      #expect(try owner.verb("Send", path: path) == take)
      let recording = try Recording(owner.ending(take, within: 15))
      #expect(recording.verdict == item.verdict, "\(item.name)")
      let silent = owner.received.filter {
        $0.member == "Notice" && $0.signal.path == path && $0.arguments[0].text == "silent"
      }
      #expect(silent.count == (item.verdict == "none" ? 1 : 0), "\(item.name)")
      #expect(recording.ending == "sent" && recording.duration > 2, "\(item.name)")
      #expect(abs(try recording.sound().seconds - recording.duration) < 0.01, "\(item.name)")
    }
  }

  @Test("in a take: the notice comes again when the microphone is muted once more")
  func mutedTwice() throws {
    let stage = try Stage(.running)
    let microphone = try stage.rig.microphone("mine", Sound.sine(1, hertz: 400))
    try stage.use("microphone", "mine")
    let take = try stage.begin()
    for round in 1...2 {
      try microphone.mute(true)
      #expect(stage.client.wait(15) { stage.notices("silent").count == round })
      try microphone.mute(false)
      #expect(stage.hears(stage.recorder))
      stage.client.listen(0.3)
      #expect(stage.notices("silent").count == round)
    }
    _ = try stage.send(take)
  }

  @Test("in a lease: that there is sound is told at once, that there is none after a while")
  func soonTold() throws {
    let stage = try Stage(.running)
    _ = try stage.rig.microphone("mine", Sound.sine(1, hertz: 400))
    let lease = try stage.client.openMonitor(["source": .string("microphone")])
    #expect(stage.hears(lease))
    #expect(try stage.client.get("Verdict", of: Voiced.monitor, path: lease).text == "ok")
  }

  @Test("in a lease: the notice comes once, and again only after sound")
  func lease() throws {
    let stage = try Stage(.running)
    let microphone = try stage.rig.microphone("mine", Sound.sine(1, hertz: 400))
    let lease = try stage.client.openMonitor([
      "source": .string("microphone"), "target": .string("mine"),
    ])
    #expect(stage.hears(lease))
    stage.client.listen(0.3)
    #expect(stage.notices("silent", path: lease).isEmpty)
    try microphone.mute(true)
    try stage.notice("silent", within: 15, path: lease)
    #expect(try stage.client.get("Verdict", of: Voiced.monitor, path: lease).text == "none")
    stage.client.listen(0.8)
    #expect(stage.notices("silent", path: lease).count == 1)
    try microphone.mute(false)
    #expect(stage.hears(lease))
    #expect(
      try stage.client.wait(4) {
        try stage.client.get("Verdict", of: Voiced.monitor, path: lease).text == "ok"
      })
    #expect(!stage.client.received.contains { $0.member == "Closed" })
  }

  @Test("doctor says that the microphone is muted, or silent")
  func doctor() throws {
    let stage = try Stage(.running)
    let microphone = try stage.rig.microphone("mine", Sound.sine(1, hertz: 400))
    let well = try stage.vctl("doctor")
    #expect(!well.text.lowercased().contains("muted"), "\(well.text)")
    try microphone.mute(true)
    var told = ""
    let isTold = try waitUntil(8) {
      let ill = try stage.vctl("doctor")
      told = ill.text
      return told.lowercased().contains("muted") && ill.status != .exited(0)
    }
    #expect(isTold, "\(told)")
  }
}
