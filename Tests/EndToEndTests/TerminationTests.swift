import Glibc
import Testing
import VoiceIO
import VoiceTestKit

/// The daemon is told to end, or is killed, at any moment.
@Suite("Termination", .lane)
struct TerminationTests {
  @Test(
    "in a take: status 0 within 5 s, children gone, the sound kept and listed",
    arguments: ["Start", "Press"], [SIGTERM, SIGINT, SIGHUP])
  func inTake(verb: String, signal: Int32) throws {
    let stage = try Stage.speaking()
    let take = try stage.begin(verb)
    let lease = try stage.client.openMonitor(["source": .string("speech")])
    stage.client.listen(0.8)
    let children = stage.daemon.children
    #expect(children.count >= 2)
    let told = BusClient.now
    #expect(stage.daemon.stop(signal) == .exited(0))
    #expect(BusClient.now - told < 5)
    #expect(children.allSatisfy { !$0.isAlive })
    try stage.client.signal("Closed", path: lease) { $0.arguments == [.string("shutdown")] }
    try stage.restart()
    let kept = try stage.client.manager("GetTakes").first?.items?.first?.entries
    #expect(kept?["take"] == .uint32(take) && (kept?["duration"]?.number ?? 0) > 0.6)
    // What was known of it is not lost with the daemon.
    #expect(kept?["source"] == .string("speech") && kept?["verdict"] == .string("ok"))
    #expect((kept?["elapsed"]?.number ?? 0) > 0.6 && kept?["waveform"]?.items?.isEmpty == false)
    let path = String((kept?["uri"]?.text ?? "").dropFirst("file://".count))
    #expect(try WaveFile(path).seconds > 0.6)
    // It can be made a recording, and the numbers go on.
    try stage.client.manager("RecoverTake", [.uint32(take), .string("wav16k")])
    try stage.client.signal("TakeRecovered", within: 4) { $0.arguments.first == .uint32(take) }
    #expect(try stage.client.verb("Start") == take + 1)
  }

  @Test("at rest, right after its start, and while a take starts: status 0 at once")
  func otherwise() throws {
    let stage = try Stage.speaking()
    #expect(stage.daemon.stop() == .exited(0))
    try stage.restart()
    #expect(stage.daemon.stop() == .exited(0))
    try stage.restart()
    stage.client.bus.call(
      destination: Voiced.name, path: Voiced.recorderPath, interface: Voiced.recorder,
      member: "Start"
    ) { _ in }
    stage.client.bus.flush(atMost: 1)
    _ = try stage.daemon.child("voiced-take")
    let children = stage.daemon.children
    #expect(stage.daemon.stop() == .exited(0))
    #expect(children.allSatisfy { !$0.isAlive })
    #expect(stage.files(in: "spool").isEmpty)
  }

  @Test("told while a recording is being finished: it is finished")
  func whileFinishing() throws {
    let stage = try Stage.speaking()
    let take = try stage.begin()
    stage.client.listen(0.8)
    #expect(try stage.client.verb("Send") == take)
    #expect(stage.daemon.stop() == .exited(0))
    #expect(try stage.recording(take, within: 1).duration > 0.6)
  }

  @Test("kill -9 in a take loses at most its last second, and the next daemon lists it")
  func killed() throws {
    let stage = try Stage.speaking()
    let take = try stage.begin()
    stage.client.listen(1.6)
    let children = stage.daemon.children
    stage.daemon.kill()
    #expect(waitUntil(5) { children.allSatisfy { !$0.isAlive } }, "children outlive the daemon")
    try stage.restart()
    let kept = try stage.client.manager("GetTakes").first?.items?.first?.entries
    #expect(kept?["take"] == .uint32(take) && kept?["state"]?.text == "recovered")
    #expect((kept?["duration"]?.number ?? 0) > 0.6, "\(String(describing: kept))")
    try stage.client.manager("RecoverTake", [.uint32(take), .string("wav16k")])
    let recovered = try stage.client.signal("TakeRecovered", within: 4)
    let details = recovered.arguments.last?.entries
    #expect(details?["verdict"] == .string("ok") && (details?["elapsed"]?.number ?? 0) > 0.6)
    #expect(try stage.client.verb("Start") == take + 1)
  }

  @Test("kill -9 of the take's process ends the take by name, and what it had is kept")
  func takeProcessKilled() throws {
    let stage = try Stage.speaking()
    let take = try stage.begin()
    stage.client.listen(1.5)
    kill(try stage.daemon.child("voiced-take").pid, SIGKILL)
    let end = try stage.client.ending(take)
    #expect(end.ending == "interrupted" && end.error != nil, "\(end.arguments)")
    let kept = try stage.client.manager("GetTakes").first?.items?.first?.entries
    #expect((kept?["duration"]?.number ?? 0) > 0.4, "\(String(describing: kept))")
    #expect(try stage.record(0.7).duration > 0.5)
    #expect(try stage.isAtRest())
  }

  @Test(
    "kill -9 of the source in a take is a gap, and the take goes on",
    arguments: ["Start", "Press"])
  func sourceKilled(verb: String) throws {
    let stage = try Stage.speaking()
    let take = try stage.begin(verb)
    stage.client.listen(0.7)
    let source = try stage.daemon.child("voiced-source")
    kill(source.pid, SIGKILL)
    #expect(
      stage.client.wait(3) {
        stage.daemon.children.contains { $0.isSource && $0.pid != source.pid }
      }, "not started again")
    stage.client.listen(0.8)
    #expect(try stage.client.get("CurrentTake") == .uint32(take))
    let recording = try stage.send(take)
    #expect(recording.duration > 1 && recording.gaps > 0)
    #expect(try recording.sound().seconds == recording.duration)
    #expect(try stage.isAtRest())
  }

  @Test("kill -9 of the source again and again, with sound between: each time a gap, no ending")
  func sourceKilledOften() throws {
    let stage = try Stage.speaking()
    let take = try stage.begin()
    for _ in 0..<4 {
      stage.client.listen(1.8)
      let source = try stage.daemon.child("voiced-source")
      kill(source.pid, SIGKILL)
      #expect(
        stage.client.wait(3) {
          stage.daemon.children.contains { $0.isSource && $0.pid != source.pid }
        }, "not started again")
    }
    stage.client.listen(1)
    #expect(try stage.phase == "locked")
    let recording = try stage.send(take)
    #expect(recording.duration > 6 && recording.gaps > 0)
  }
}
