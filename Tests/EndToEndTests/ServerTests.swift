import Glibc
import Testing
import VoiceIO
import VoiceTestKit

private let tone = Sound.sine(1, hertz: 400)

/// The audio server and its session policy: killed, restarted, stalled, late.
@Suite("The audio server", .lane)
struct ServerTests {
  @Test("PipeWire is killed and restarted in mid-take: nothing is lost, lease and next take hear")
  func serverRestarts() throws {
    let stage = try Stage(.running)
    _ = try stage.rig.microphone("mine", tone)
    try stage.use("microphone", "mine")
    let lease = try stage.client.openMonitor([
      "source": .string("microphone"), "target": .string("mine"),
    ])
    let take = try stage.begin()
    stage.client.listen(1)
    try stage.rig.killAudio()
    try stage.notice("source-lost", within: 2, path: lease)
    #expect(try stage.linked == "")
    try stage.rig.restartAudio()
    #expect(stage.hears(lease, within: 8))
    // Back within 3 s it is a gap, else an interruption; which one depends on the machine.
    let phase = try stage.phase
    stage.client.listen(0.6)
    let recording = try stage.send(take)
    #expect(recording.duration > 0.8)
    #expect(phase == "stopped" || (phase == "locked" && recording.gaps > 0.1), "\(phase)")
    #expect(try stage.record(0.8).tones(400).contains("00"))
    #expect(stage.daemon.process.isRunning)
  }

  @Test("PipeWire stays away: the take is stopped after 3 s, and the next one says why")
  func serverStaysAway() throws {
    let stage = try Stage(.running)
    _ = try stage.rig.microphone("mine", tone)
    let take = try stage.begin()
    stage.client.listen(0.8)
    let killed = BusClient.now
    try stage.rig.killAudio()
    let stopped = try stage.client.signal("Phase", within: 6, since: killed)
    #expect(stopped.arguments == [.string("stopped"), .uint32(take)])
    #expect((2.5...4.5).contains(stopped.time - killed), "\(stopped.time - killed) s")
    #expect(try stage.send(take).duration > 0.6)
    let next = try stage.client.verb("Press")
    let end = try stage.client.ending(next, within: 6)
    #expect(end.ending == "interrupted" && end.error == "SourceUnavailable", "\(end.arguments)")
    try stage.rig.restartAudio()
    #expect(try stage.record(0.8).tones(400).contains("00"))
  }

  @Test("WirePlumber is killed and restarted in mid-take: the sound goes on")
  func policyRestarts() throws {
    let stage = try Stage(.running)
    _ = try stage.rig.microphone("mine", tone)
    let take = try stage.begin()
    stage.client.listen(0.6)
    try stage.rig.audio.killPolicy()
    stage.client.listen(0.8)
    try stage.rig.audio.startPolicy()
    stage.client.listen(0.8)
    #expect(try stage.phase == "locked")
    let recording = try stage.send(take)
    let tones = try recording.tones(400)
    #expect(!tones.dropFirst().contains("."), "\(tones)")
    #expect(recording.gaps < 0.5)
    #expect(try stage.record(0.8).tones(400).contains("00"))
  }

  @Test("WirePlumber is not there at first: the take begins once it is")
  func policyIsLate() throws {
    let stage = try Stage(.later)
    try stage.rig.audio.startServer()
    let lease = try stage.client.openMonitor(["source": .string("microphone")])
    stage.rig.add(
      try VirtualMicrophone(
        stage.rig.audio, name: "mine", channels: [tone], waitsForDefault: false))
    #expect(!stage.hears(lease, within: 0.3))
    try stage.rig.audio.startPolicy()
    #expect(stage.hears(lease, within: 8))
    #expect(try stage.record(0.6).tones(400).contains("0"))
  }

  @Test("the daemon is there before any of them: a named error in time, no work, then it hears")
  func daemonIsFirst() throws {
    let stage = try Stage(.later)
    let asked = BusClient.now
    let take = try stage.client.verb("Start")
    let end = try stage.client.ending(take, within: 6)
    #expect(end.ending == "interrupted" && end.error == "SourceUnavailable", "\(end.arguments)")
    #expect(end.time - asked < 4.5)
    #expect(try stage.isAtRest())
    let lease = try stage.client.openMonitor(["source": .string("microphone")])
    let waiting = [stage.daemon.facts, try stage.daemon.child("voiced-source")]
    let before = waiting.map(\.processorTime)
    stage.client.listen(1)
    for (process, time) in zip(waiting, before) {
      let used = process.processorTime &- time
      #expect(isSanitized || used < 50_000_000, "\(used) ns of work in a second without a server")
    }
    try stage.rig.audio.start()
    _ = try stage.rig.microphone("mine", tone)
    #expect(stage.hears(lease, within: 8))
    #expect(try stage.record(0.8).tones(400).contains("00"))
  }

  /// A program that ends while it waits for its first look at the metadata leaves PipeWire telling changes of it
  /// to nobody, until the session manager is started again.
  @Test("PipeWire tells nobody any more what the default is: it is followed all the same")
  func silentDefault() throws {
    let stage = try Stage(.running)
    let audio = try stage.rig.audio
    let first = try stage.rig.microphone("first", tone)
    let lease = try stage.client.openMonitor(["source": .string("microphone")])
    #expect(stage.hears(lease))
    audio.stallPolicy()
    let log = audio.desktop.log("looker")
    let looker = try RigProcess(
      ChildCommand(
        path: "stdbuf", arguments: ["-oL", "pw-metadata"], environment: audio.desktop.environment),
      log: log)
    #expect(waitUntil(5) { audio.desktop.logText("looker").contains("\"default\"") })
    // It says so as it asks.
    stage.client.listen(0.2)
    looker.end(SIGKILL)
    audio.resumePolicy()
    func isLinked(to name: String) throws -> Bool {
      try waitUntil(5) {
        try stage.client.get("LinkedTarget", of: Voiced.monitor, path: lease).text == name
      }
    }
    let second = try stage.rig.microphone("second", tone)
    try audio.setDefaultSource("second")
    #expect(try isLinked(to: "second"))
    try second.unplug()
    #expect(try isLinked(to: "first"))
    try first.unplug()
    try second.plug()
    #expect(try isLinked(to: "second"))
    #expect(stage.hears(lease))
  }

  /// PipeWire would read nothing more of a program that was waiting for an answer of WirePlumber's.
  @Test("WirePlumber hangs as a lease begins, is killed and started again: the lease hears")
  func policyHangs() throws {
    let stage = try Stage(.running)
    let audio = try stage.rig.audio
    _ = try stage.rig.microphone("mine", tone)
    audio.stallPolicy()
    let lease = try stage.client.openMonitor(["source": .string("microphone")])
    #expect(!stage.hears(lease, within: 1))
    audio.killPolicy()
    try audio.startPolicy()
    #expect(stage.hears(lease))
    #expect(try stage.record(0.6).tones(400).contains("0"))
  }

  @Test("a chosen microphone, and no server: told as that, until there is a server without it")
  func chosenWithoutServer() throws {
    let stage = try Stage(.later)
    try stage.use("microphone", "mine")
    func failure() throws -> BusClient.Received {
      try stage.client.ending(stage.client.verb("Start"), within: 6)
    }
    let without = try failure()
    #expect(without.error == "SourceUnavailable", "\(without.arguments)")
    #expect(without.reason?.contains("PipeWire does not answer") == true, "\(without.arguments)")
    // A lease keeps its process, which has told that there is no server.
    _ = try stage.client.openMonitor([
      "source": .string("microphone"), "target": .string("mine"),
    ])
    stage.client.listen(0.5)
    let audio = try stage.rig.audio
    try audio.start()
    _ = try stage.rig.microphone("other", tone)
    let with = try failure()
    #expect(with.error == "NoSuchTarget", "\(with.arguments)")
    audio.stall()
    let stalled = try failure()
    #expect(stalled.error == "NoSuchTarget", "\(stalled.arguments)")
    audio.resume()
    audio.end(SIGKILL)
    let again = try failure()
    #expect(again.error == "SourceUnavailable", "\(again.arguments)")
  }

  @Test("somebody destroys our node, on a desktop that is never quiet: there is another one")
  func nodeIsDestroyed() throws {
    let stage = try Stage(.running)
    let audio = try stage.rig.audio
    _ = try stage.rig.microphone("mine", tone)
    let lease = try stage.client.openMonitor(["source": .string("microphone")])
    #expect(stage.hears(lease))
    let crowd = try RigProcess(
      ChildCommand(
        path: "sh", arguments: ["-c", "while :; do pw-cli ls Core; sleep 0.2; done"],
        environment: audio.desktop.environment))
    let source = try stage.daemon.child("voiced-source").pid
    var node: PrivateAudio.Entry?
    #expect(
      try waitUntil(5) {
        node = try audio.nodes(of: [source]).first
        return node != nil
      })
    let destroyed = BusClient.now
    _ = try audio.tool("pw-cli", "destroy", "\(node?.id ?? 0)")
    try stage.notice("source-lost", within: 4, since: destroyed, path: lease)
    // What was heard before has faded by then.
    stage.client.listen(1.5)
    #expect(stage.hears(lease, within: 5))
    crowd.end()
  }

  @Test("short leases while WirePlumber is slow: others still hear of a change of the default")
  func shortLeases() throws {
    let stage = try Stage(.running)
    let audio = try stage.rig.audio
    _ = try stage.rig.microphone("first", tone)
    _ = try stage.rig.microphone("second", tone)
    let listener = try RigProcess(
      ChildCommand(
        path: "stdbuf", arguments: ["-oL", "pw-metadata", "-m"],
        environment: audio.desktop.environment),
      log: audio.desktop.log("listener"))
    let policy = try #require(audio.wireplumber?.pid)
    let slowness = try RigProcess(
      ChildCommand(
        path: "sh",
        arguments: [
          "-c",
          "while kill -STOP $0; do sleep 0.03; kill -CONT $0; sleep 0.03; done", "\(policy)",
        ], environment: audio.desktop.environment))
    for pause in 0..<20 {
      let lease = try stage.client.openMonitor(["source": .string("microphone")])
      stage.client.listen(Double(pause) / 500)
      _ = try stage.client.call(lease, Voiced.monitor, "Close")
      #expect(waitUntil(4) { stage.daemon.children.isEmpty })
    }
    slowness.end()
    audio.resumePolicy()
    let log = audio.desktop.logText("listener")
    for name in ["first", "second"] { try audio.setDefaultSource(name) }
    let isTold = waitUntil(3) {
      audio.desktop.logText("listener").dropFirst(log.count).contains("default.audio.source")
    }
    #expect(isTold, "\(log)")
    listener.end()
  }

  @Test("a boot in any order and with any gaps ends with sound", arguments: 0..<12)
  func boot(seed: Int) throws {
    var random = SeededRandom(seed: UInt64(seed) + 29)
    let rig = try Rig(.later)
    let audio = try rig.audio
    // The microphone needs a server; all else may come in any order.
    var steps = ["policy", "microphone"].shuffled(using: &random)
    steps.insert("server", at: 0)
    steps.insert("daemon", at: Int.random(in: 0...3, using: &random))
    var daemon: DaemonUnderTest?
    var client: BusClient?
    var lease = ""
    for step in steps {
      switch step {
      case "server": try audio.startServer()
      case "policy": try audio.startPolicy()
      case "microphone":
        rig.add(
          try VirtualMicrophone(audio, name: "mine", channels: [tone], waitsForDefault: false))
      default:
        daemon = try rig.daemon()
        client = try rig.client()
        lease = try client?.openMonitor(["source": .string("microphone")]) ?? ""
      }
      _ = waitUntil(Double.random(in: 0...0.5, using: &random)) { false }
    }
    let since = BusClient.now
    func isHeard() -> Bool {
      client?.wait(12) {
        client?.received.contains {
          $0.member == "Level" && $0.signal.path == lease && $0.time > since
            && ($0.arguments.first?.number ?? 0) > 0.2
        } == true
      } == true
    }
    if isHeard() { return }
    let fed = try? audio.sources(of: daemon?.children.map(\.pid) ?? [])
    let byDefault = try? audio.defaultSource()
    // Now and then WirePlumber itself hangs at its start, and tells nobody anything: somebody will
    // start it again.
    if byDefault == nil {
      audio.killPolicy()
      try audio.startPolicy()
    }
    #expect(
      byDefault == nil && isHeard(),
      "\(steps), fed by \(fed ?? []), default \(byDefault ?? "none"): \(daemon?.log ?? "")")
  }
}

/// SplitMix64: the same numbers on every run.
struct SeededRandom: RandomNumberGenerator {
  private var state: UInt64
  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}
