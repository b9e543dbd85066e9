import Glibc
import Testing
import VoiceIO
import VoiceTestKit

/// The rig itself: a test that relies on it should not be the first to find it broken.
@Suite("Rig")
struct RigTests {
  @Test("a recorder hears the virtual microphone as it was fed, and its replug")
  func microphone() throws {
    let rig = try Rig()
    let speech = try Sound.speech(6)
    let microphone = try rig.microphone("vmic", speech)
    #expect(try rig.audio.defaultSource() == "vmic")
    // A busy machine's audio server skips now and then, but hardly in each of three recordings.
    let isFollowed = try (0..<3).contains { _ in try followed(speech, in: rig) > 0.95 }
    #expect(isFollowed)
    try microphone.unplug()
    #expect(try waitUntil(5) { try rig.audio.defaultSource() == nil })
    try microphone.plug()
    #expect(try rig.audio.node(named: "vmic") != nil)
  }

  /// How closely a recording of two seconds follows what the virtual microphone plays.
  private func followed(_ speech: [Float], in rig: Rig) throws -> Double {
    let file = rig.desktop.folder.path + "/heard.wav"
    unlink(file)
    let recorder = try RigProcess(
      ChildCommand(
        path: "pw-cat", arguments: ["-r", "--channels", "1", "--rate", "48000", file],
        environment: rig.desktop.environment), log: rig.desktop.log("recorder"))
    #expect(try waitUntil(3) { try rig.audio.sources(of: [recorder.pid]) == ["vmic"] })
    // Some sound has to pass: this many bytes of it.
    #expect(waitUntil(10) { ProcessFacts.content(of: file).count > 2 * 48_000 * 2 })
    recorder.end(SIGINT)
    let heard = try WaveFile(file)
    #expect(heard.rate == 48_000 && heard.channels.count == 1)
    return LoudnessCurve.follow(
      source: speech + speech, recording: Array(heard.channels[0][9600...]), most: 6
    ).correlation
  }

  @Test("two microphones of several channels are there, and the user's choice is the default")
  func choice() throws {
    let rig = try Rig()
    _ = try rig.microphone("one", Sound.sine(1), Sound.silence(1))
    _ = try rig.microphone("two", Sound.silence(1))
    let one = try #require(try rig.audio.node(named: "one"))
    #expect(
      try rig.audio.graph().filter {
        $0.type == "Port" && $0.properties["node.id"] == "\(one.id)"
          && $0.properties["port.direction"] == "out"
      }.count == 2)
    for name in ["two", "one"] {
      try rig.audio.setDefaultSource(name)
      #expect(try rig.audio.defaultSource() == name)
    }
  }

  @Test("sounds are what they say and survive a file")
  func sounds() throws {
    let folder = try TemporaryFolder()
    let sine = Sound.sine(1, amplitude: 0.5, hertz: 440)
    let clicks = Sound.clicks(1, period: 0.1)
    try WaveFile.write(folder.path + "/two.wav", channels: [sine, clicks], seconds: 2.5)
    let file = try WaveFile(folder.path + "/two.wav")
    #expect(file.seconds == 2.5 && file.rate == 48_000)
    #expect(file.channels[0][..<48_000] == sine[...])
    #expect(file.channels[1][48_000..<96_000] == clicks[...])
    try WaveFile.write(folder.path + "/one.wav", channels: [sine])
    #expect(try Sound.decode(folder.path + "/one.wav") == sine)
    // An RMS of 0.3536 is -9.03 dBFS.
    let level = LoudnessCurve(sine).windows
    #expect(level.count == 20 && level.allSatisfy { abs($0 - 0.7513) < 0.001 })
    #expect(LoudnessCurve(Sound.silence(1)).windows.allSatisfy { $0 == 0 })
  }

  @Test("a client waits for its answers and keeps the signals that came meanwhile")
  func client() throws {
    let rig = try Rig(audio: false)
    let client = try rig.client()
    let other = try rig.client()
    other.bus.emit(path: "/x", interface: "org.voiced.Test", member: "S", [.uint32(1)])
    other.bus.emit(path: "/x", interface: "org.other.Test", member: "S", [.uint32(2)])
    other.bus.emit(path: "/x", interface: "org.voiced.Test", member: "S", [.uint32(3)])
    other.bus.flush(atMost: 1)
    let second = try client.signal("S") { $0.arguments == [.uint32(3)] }
    #expect(client.received.map(\.arguments) == [[.uint32(1)], [.uint32(3)]])
    #expect(second.time <= BusClient.now)
    #expect(throws: RigFailure.self) { try client.signal("T", within: 0.02) }
    #expect(throws: BusFailure.self) { try client.verb("Start") }
    #expect(try client.waitForOwner(present: false))
  }

  @Test("the daemon takes its name, records the virtual microphone, rests and ends")
  func daemon() throws {
    let rig = try Rig()
    let speech = try Sound.speech(6)
    _ = try rig.microphone("vmic", speech)
    let daemon = try rig.daemon()
    let client = try rig.client()
    #expect(daemon.facts.threads == 1 && daemon.facts.memory.resident > 0)
    try client.set("Format", .string("wav"))
    let isFollowed = try (0..<3).contains { _ in
      let take = try client.verb("Start")
      try client.signal("Notice") { $0.arguments.first == .string("started") }
      #expect(try daemon.child("voiced-source").parent == daemon.pid)
      client.listen(2)
      #expect(try client.verb("Send") == take)
      let ending = try client.ending(take)
      #expect(ending.member == "Finished")
      let uri = ending.arguments[1].text ?? ""
      let sound = try Sound.decode(String(uri.dropFirst("file://".count)))
      return LoudnessCurve.follow(source: speech + speech, recording: sound, most: 6)
        .correlation > 0.98
    }
    #expect(isFollowed)
    #expect(daemon.isAtRest())
    #expect(daemon.stop() == .exited(0), "\(daemon.log)")
    #expect(daemon.endLeftOvers() == 0)
  }

  @Test("what was started is gone when the rig is let go")
  func teardown() throws {
    var rig: Rig? = try Rig()
    let path = try #require(rig?.desktop.folder.path)
    _ = try rig?.microphone("vmic", Sound.silence(1))
    let runtime = "XDG_RUNTIME_DIR=" + (rig?.desktop.runtime ?? "")
    let pids = ProcessFacts.all.filter { $0.environment.contains(runtime) }
    #expect(pids.count >= 4)
    rig = nil
    #expect(pids.allSatisfy { !$0.isAlive })
    #expect(access(path, F_OK) != 0)
  }

  @Test("a test process that crashes leaves neither processes nor folders")
  func crash() async throws {
    let folder = try TemporaryFolder()
    let note = folder.path + "/note"
    setenv("VOICED_RIG_NOTE", note, 1)
    await #expect(processExitsWith: .signal(SIGKILL)) {
      let rig = try Rig(audio: false)
      let note = try #require(ProcessEnvironment.value("VOICED_RIG_NOTE"))
      try TextFile.write(note, "\(rig.bus.process.pid) \(rig.desktop.folder.path)")
      kill(getpid(), SIGKILL)
    }
    let parts = TextFile.read(note).split(separator: " ")
    let pid = try #require(parts.first.flatMap { Int32($0) })
    #expect(waitUntil(5) { !ProcessFacts(pid).isAlive && access(String(parts[1]), F_OK) != 0 })
  }
}
