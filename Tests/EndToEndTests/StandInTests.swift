import Testing
import VoiceIO
import VoiceTestKit

private let tone = Sound.sine(1, hertz: 900)

/// What was chosen is recorded, or nothing is.
@Suite("Never a stand-in", .lane)
struct StandInTests {
  @Test("a take on a microphone that is not there: NoSuchTarget after 3 s, the default untouched")
  func missingTarget() throws {
    let stage = try Stage(.running)
    _ = try stage.rig.microphone("other", tone)
    try stage.use("microphone", "absent")
    let asked = BusClient.now
    let take = try stage.client.verb("Start")
    while BusClient.now - asked < 2.4 {
      #expect(try stage.rig.audio.sources(of: stage.family).isEmpty)
      #expect(try stage.linked == "")
    }
    let end = try stage.client.ending(take, within: 4)
    #expect(end.ending == "interrupted" && end.error == "NoSuchTarget", "\(end.arguments)")
    #expect(end.arguments.last?.entries?["reason"]?.text?.contains("absent") == true)
    #expect((2.5...4.5).contains(end.time - asked), "\(end.time - asked) s")
    #expect(stage.levels().allSatisfy { $0 == 0 })
    #expect(stage.notices("started").isEmpty)
    #expect(try stage.isAtRest())
    #expect(stage.files(in: "recordings").isEmpty && stage.files(in: "recovery").isEmpty)
  }

  @Test("a key that is released before that learns the same")
  func missingTargetReleased() throws {
    let stage = try Stage(.running)
    _ = try stage.rig.microphone("other", tone)
    try stage.use("microphone", "absent")
    let take = try stage.client.verb("Press")
    stage.client.listen(1.5)
    try stage.client.verb("Release")
    let end = try stage.client.ending(take, within: 2)
    #expect(end.ending == "interrupted" && end.error == "NoSuchTarget", "\(end.arguments)")
    #expect(end.reason?.contains("absent") == true, "\(end.arguments)")
  }

  @Test("the chosen one appears within 3 s: the take begins with it")
  func lateTarget() throws {
    let stage = try Stage(.running)
    _ = try stage.rig.microphone("other", tone)
    try stage.use("microphone", "mine")
    let take = try stage.client.verb("Start")
    stage.client.listen(0.4)
    _ = try stage.rig.microphone("mine", Sound.sine(1, hertz: 400))
    try stage.notice("started", within: 4)
    stage.client.listen(0.8)
    let tones = try stage.send(take).tones(400, 900)
    #expect(tones.hasPrefix("00"), "\(tones)")
  }

  @Test("a lease on a microphone that is not there waits unlinked, then hears it")
  func missingTargetOfLease() throws {
    let stage = try Stage(.running)
    _ = try stage.rig.microphone("other", tone)
    let lease = try stage.client.openMonitor([
      "source": .string("microphone"), "target": .string("mine"),
    ])
    stage.client.listen(1.5)
    #expect(try stage.rig.audio.sources(of: stage.family).isEmpty)
    #expect(stage.levels(of: lease).allSatisfy { $0 == 0 })
    _ = try stage.rig.microphone("mine", Sound.sine(1, hertz: 400))
    #expect(stage.hears(lease))
    #expect(try stage.rig.audio.sources(of: stage.family) == ["mine"])
  }

  @Test("no microphone node of ours exists while another source is in use")
  func noNodeForOthers() throws {
    let stage = try Stage(.running)
    let microphone = try stage.rig.microphone("mine", tone)
    let file = stage.rig.desktop.folder.path + "/music.wav"
    try WaveFile.write(file, channels: [Sound.sine(1, hertz: 400)], seconds: 20)
    for (source, target) in [("speech", ""), ("file", file)] {
      try stage.use(source, target)
      let take = try stage.begin()
      stage.client.listen(0.7)
      #expect(try stage.nodes().isEmpty, "\(source)")
      _ = try stage.send(take)
    }
    #expect(try stage.isAtRest())
    #expect(microphone.isPlugged)
  }

  @Test("a default that is a sink's monitor is told as such, not recorded as a voice")
  func sinkMonitor() throws {
    let stage = try Stage(.running) {
      _ = try $0.audio.tool(
        "pw-cli", "create-node", "adapter",
        "{ factory.name=support.null-audio-sink media.class=Audio/Sink object.linger=true "
          + "node.name=speakers audio.position=[FL FR] }")
      let audio = try $0.audio
      guard try waitUntil(5, { try audio.node(named: "speakers") != nil }) else {
        throw RigFailure("no sink")
      }
    }
    let take = try stage.client.verb("Start")
    let end = try stage.client.ending(take, within: 6)
    #expect(end.ending == "interrupted" && end.error == "SourceUnavailable", "\(end.arguments)")
    #expect(stage.notices("started").isEmpty)
    #expect(end.reason?.contains("the monitor of speakers") == true, "\(end.arguments)")
    let held = try stage.client.verb("Press")
    stage.client.listen(1.5)
    try stage.client.verb("Release")
    let released = try stage.client.ending(held, within: 2)
    #expect(released.error == "SourceUnavailable" && released.reason == end.reason)
    func expectTold(_ words: String) throws {
      var text = ""
      let isTold = try waitUntil(8) {
        let doctor = try stage.vctl("doctor")
        text = doctor.text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        return text.contains(words) && doctor.status != .exited(0)
      }
      #expect(isTold, "\(text)")
    }
    try expectTold("no microphone; the default source is the monitor of a loudspeaker")
    // The same beside a microphone that is there, but is not the one that was chosen.
    _ = try stage.rig.microphone("mine", tone)
    _ = try stage.rig.audio.tool(
      "pw-metadata", "0", "default.configured.audio.source", "{\"name\":\"speakers\"}",
      "Spa:String:JSON")
    #expect(try waitUntil(3) { try stage.rig.audio.defaultSource() == "speakers" })
    let again = try stage.client.ending(stage.client.verb("Start"), within: 6)
    #expect(again.error == "SourceUnavailable")
    #expect(again.reason?.contains("the monitor of speakers") == true, "\(again.arguments)")
    let standard = try stage.targets().filter { $0["default"]?.flag == true }
    #expect(standard.compactMap { $0["target"]?.text } == ["monitor:speakers"])
    try expectTold("The default source is the monitor of a loudspeaker")
    // The user can still ask for it by its name.
    try stage.use("microphone", "monitor:speakers")
    let asked = try stage.client.verb("Start")
    #expect(try stage.client.wait(4) { try stage.linked == "monitor:speakers" })
    try stage.client.verb("Cancel")
    #expect(try stage.client.ending(asked).ending == "cancelled")
  }
}

extension Stage {
  /// Runs the command line on this desktop.
  func vctl(_ arguments: String..., timeout: Double = 10) throws -> ToolResult {
    try runTool(
      DaemonUnderTest.productFolder + "/vctl", arguments, environment: rig.desktop.environment,
      timeout: timeout)
  }
}
