import Glibc
import Testing
import VoiceAudio
import VoiceCore
import VoiceIO
import VoiceTestKit

/// What the microphone plugin captures, with real sources and sinks.
@Suite("Microphone")
struct MicrophoneTests {
  private let low = Sound.sine(1, amplitude: 0.5, hertz: 400)
  private let high = Sound.sine(1, amplitude: 0.5, hertz: 900)

  @Test("an empty target is the default source, and follows when another one becomes it")
  func followsDefault() throws {
    let rig = try Rig()
    _ = try rig.microphone("one", low)
    _ = try rig.microphone("two", high)
    try rig.audio.setDefaultSource("one")
    let run = try MicrophoneRun(rig.desktop, target: "")
    #expect(run.isLinked(to: "one") && run.hears(0.3))
    #expect(run.hasTones(0.5, 0))
    try rig.audio.setDefaultSource("two")
    #expect(run.isLinked(to: "two") && run.hears(0.4))
    #expect(run.hasTones(0, 0.5))
    #expect(!run.links.contains(""), "\(run.links)")
  }

  @Test("a named source stays when the default changes, and is waited for when it is not there")
  func pinned() throws {
    let rig = try Rig()
    _ = try rig.microphone("other", high)
    let run = try MicrophoneRun(rig.desktop, target: "mine")
    #expect(run.isLinked(to: ""))
    #expect(run.ring.written == 0)
    _ = try rig.microphone("mine", low)
    #expect(run.isLinked(to: "mine"))
    try rig.audio.setDefaultSource("other")
    #expect(run.hears(0.5))
    #expect(run.links == ["", "mine"] && run.hasTones(0.5, 0))
  }

  @Test(
    "a sink's monitor is never taken for a microphone, and it is said what it is",
    arguments: [
      ("speakers", "the monitor of speakers."), ("auto_null", "PipeWire's own null sink"),
    ])
  func noMonitor(sink: String, words: String) throws {
    let rig = try Rig()
    try makeSink(sink, rig)
    #expect(try waitUntil(3) { try rig.audio.defaultSource() != nil })
    let run = try MicrophoneRun(rig.desktop, target: "default")
    #expect(run.isLinked(to: ""))
    #expect(try rig.audio.sources(of: [run.process.pid]) == [])
    func isWarned(_ times: Int) -> Bool {
      run.wait {
        run.reports.count {
          if case .log(2, let text) = $0 { text.contains(words) } else { false }
        } == times
      }
    }
    #expect(isWarned(1), "\(run.reports)")
    let microphone = try rig.microphone("mine", low)
    #expect(run.isLinked(to: "mine"))
    // It becomes the default only after the microphone has gone.
    try microphone.unplug()
    #expect(run.isLinked(to: ""))
    #expect(isWarned(2), "\(run.reports)")
  }

  @Test("monitor: is what a sink plays, app: what one application plays and no other")
  func monitorAndApplication() throws {
    let rig = try Rig()
    try makeSink("speakers", rig)
    let players = try [play("first", low, rig), play("second", high, rig)]
    #expect(
      try waitUntil(5) {
        try rig.audio.graph().filter { $0.type == "Link" }.count >= 2 * players.count
      })
    for (target, tones) in [
      ("monitor:speakers", (0.5, 0.5)), ("app:first", (0.5, 0)), ("app:second", (0, 0.5)),
    ] {
      let run = try MicrophoneRun(rig.desktop, target: target)
      #expect(run.isLinked(to: target) && run.hears(0.4), "\(target) \(run.links)")
      #expect(
        run.hasTones(tones.0, tones.1, exactly: 0.03),
        "\(target): \(run.tone(400)) at 400 Hz, \(run.tone(900)) at 900 Hz")
    }
  }

  @Test("every channel is captured as it is", arguments: [["FL", "FR"], ["AUX0", "AUX1"]])
  func channels(positions: [String]) throws {
    let rig = try Rig()
    for (name, channels) in [
      ("anti", [low, low.map { -$0 }]), ("right", [Sound.silence(1), low]),
    ] {
      let microphone = try VirtualMicrophone(
        rig.audio, name: name, channels: channels, positions: positions)
      let run = try MicrophoneRun(rig.desktop, target: name)
      #expect(run.isLinked(to: name) && run.hears(0.4))
      #expect(run.reports.contains(.format(rate: 48_000, channels: 2)))
      #expect(run.hasTones(0.5, 0), "\(name): \(run.tone(400))")
      try microphone.unplug()
    }
  }

  @Test("metering is marked, and the mark and the role come and go on the running node")
  func marked() throws {
    let rig = try Rig()
    _ = try rig.microphone("mine", low)
    let run = try MicrophoneRun(rig.desktop, target: "mine", options: "media-role=Communication\n")
    #expect(run.isLinked(to: "mine") && run.hears(0.1))
    let node = try #require(try rig.audio.node(named: "voiced"))
    #expect(node.properties["stream.monitor"].map(isTrue) == true)
    #expect(node.properties["media.role"] == nil, "a meter is no call")
    func isMarked(recording: Bool) throws -> Bool {
      run.send(.recording(recording))
      return try waitUntil(2) {
        let now = try rig.audio.node(named: "voiced")?.properties ?? [:]
        return now["stream.monitor"].map(isTrue) == !recording
          && now["media.role"] == (recording ? "Communication" : "")
      }
    }
    // A busy machine's audio server has gaps of its own now and then, but not at every switch.
    var isFaultless = false
    for _ in 0..<3 where !isFaultless {
      let lost = run.lost()
      for isRecording in [true, false] {
        #expect(try isMarked(recording: isRecording))
        #expect(run.hears(0.1))
      }
      isFaultless = run.lost() == lost
    }
    #expect(isFaultless, "a gap at each switch")
    #expect(try rig.audio.node(named: "voiced")?.id == node.id)
  }

  @Test(
    "at any rate of the server the sound is exact, also of a stream that began as a meter",
    arguments: [44_100, 96_000])
  func rates(rate: Int) throws {
    let rig = try Rig()
    _ = try rig.audio.tool("pw-metadata", "-n", "settings", "0", "clock.force-rate", "\(rate)")
    _ = try rig.microphone("mine", low)
    let run = try MicrophoneRun(rig.desktop, target: "mine", options: "recording=0\n")
    #expect(run.isLinked(to: "mine") && run.hears(0.3))
    let clock = try rig.audio.tool("pw-metadata", "-n", "settings", "0", "clock.force-rate").text
    #expect(clock.contains("'\(rate)'"), "\(clock)")
    for isRecording in [false, true] {
      run.send(.recording(isRecording))
      // By its peaks a sine would have its tone at twice the frequency.
      #expect(run.hasTones(0.5, 0), "recording \(isRecording): \(run.tone(400))")
      #expect(run.tone(800) < 0.02, "recording \(isRecording): \(run.tone(800))")
    }
  }

  @Test("a virtual microphone that programs play into is one like any other")
  func virtual() throws {
    let rig = try Rig()
    try makeNode("effects", "Audio/Source/Virtual", rig)
    // A player has ports once it plays somewhere.
    try makeSink("speakers", rig)
    let player = try play("filter", low, rig)
    let run = try MicrophoneRun(rig.desktop, target: "effects")
    #expect(run.isLinked(to: "effects"), "\(run.links)")
    for channel in ["FL", "FR"] {
      #expect(
        try waitUntil(5) {
          try rig.audio.tool("pw-link", "filter:output_\(channel)", "effects:input_\(channel)")
            .isSuccess
        })
    }
    #expect(run.hasTones(0.5, 0), "\(run.tone(400))")
    player.end()
  }

  @Test("targets are listed without a node of ours: names, the default, what is muted")
  func listed() throws {
    let rig = try Rig()
    try makeSink("speakers", rig)
    _ = try rig.microphone("one", low)
    let two = try rig.microphone("two", high)
    try rig.audio.setDefaultSource("one")
    try two.mute(true)
    var told = try list(rig)
    // A busy machine's server may be too slow for the time that listing has.
    for _ in 0..<2 where told.count < 3 { told = try list(rig) }
    #expect(told.compactMap { $0["target"] } == ["one", "two", "monitor:speakers"])
    #expect(told.map { $0["default"] == "1" } == [true, false, false])
    #expect(told.map { $0["muted"] == "1" } == [false, true, false])
    #expect(try rig.audio.node(named: "voiced") == nil)
  }

  /// What a process that is asked for the microphone's targets tells.
  private func list(_ rig: Rig) throws -> [[String: String]] {
    let (ours, theirs) = try ControlChannel.pair()
    let loop = try EventLoop()
    var told: [[String: String]] = []
    let channel = try ControlChannel(
      loop: loop, descriptor: ours, onMessage: { told.append($0.fields) }, onClose: {})
    let process = try RigProcess(
      ChildCommand(
        path: DaemonUnderTest.productFolder + "/voiced-source",
        arguments: [
          "--targets", DaemonUnderTest.productFolder + "/libvoiced-microphone.so", "microphone",
        ],
        descriptors: [(theirs, 3)], environment: rig.desktop.environment),
      log: rig.desktop.log("targets"))
    close(theirs)
    _ = loop.turn(within: 3) { !process.isRunning && told.count >= 3 }
    channel.close()
    return told
  }

  @Test("what a person moves or links by hand is left there and told")
  func moved() throws {
    let rig = try Rig()
    _ = try rig.microphone("one", low)
    _ = try rig.microphone("two", high)
    let run = try MicrophoneRun(rig.desktop, target: "one")
    #expect(run.isLinked(to: "one"))
    let node = try #require(try rig.audio.node(named: "voiced"))
    _ = try rig.audio.tool("pw-metadata", "\(node.id)", "target.object", "two")
    #expect(run.isLinked(to: "two") && run.hears(0.4) && run.tone(900) > 0.4)
    _ = try rig.audio.tool("pw-metadata", "-d", "\(node.id)", "target.object")
    #expect(run.isLinked(to: "one") && run.hears(0.1))
    _ = try rig.audio.tool("pw-link", "two:capture_MONO", "voiced:input_MONO")
    _ = try rig.audio.tool("pw-link", "-d", "one:capture_MONO", "voiced:input_MONO")
    #expect(run.isLinked(to: "two") && run.hears(1.5))
    #expect(run.links.last == "two" && run.tone(900) > 0.4 && run.tone(400) < 0.01)
  }

  private func isTrue(_ text: String) -> Bool { text == "true" || text == "1" }

  private func makeSink(_ name: String, _ rig: Rig) throws {
    try makeNode(name, "Audio/Sink", rig)
  }

  /// A device without hardware.
  private func makeNode(_ name: String, _ mediaClass: String, _ rig: Rig) throws {
    _ = try rig.audio.tool(
      "pw-cli", "create-node", "adapter",
      "{ factory.name=support.null-audio-sink media.class=\(mediaClass) object.linger=true "
        + "node.name=\(name) audio.position=[FL FR] }")
    #expect(try waitUntil(3) { try rig.audio.node(named: name) != nil })
  }

  /// A program that plays a sound again and again, until it is let go.
  private func play(_ name: String, _ sound: [Float], _ rig: Rig) throws -> RigProcess {
    let file = "\(rig.desktop.folder.path)/\(name).wav"
    try WaveFile.write(file, channels: [sound], seconds: 60)
    let player = try RigProcess(
      ChildCommand(
        path: "pw-cat",
        arguments: [
          "-p", "--latency", "1024", "-P",
          "{ node.name=\(name) application.name=\(name) state.restore-props=false }", file,
        ], environment: rig.desktop.environment), log: rig.desktop.log(name))
    player.hurry()
    return player
  }
}
