import Glibc
import Testing
import VoiceIO
import VoiceTestKit

/// The session bus goes: there is nobody left to serve, and nothing of a take may be lost by it.
@Suite("The session bus goes", .lane)
struct BusLossTests {
  @Test(
    "in a take: non-zero exit, no child left, the sound kept and listed by the next daemon",
    arguments: ["Start", "Press"])
  func inTake(verb: String) throws {
    let stage = try Stage.speaking()
    let take = try stage.begin(verb)
    stage.client.listen(1)
    let children = stage.daemon.children
    #expect(children.count >= 2)
    stage.rig.bus.process.end(SIGKILL)
    let status = try #require(stage.daemon.process.wait(5), "it did not end")
    #expect(status != .exited(0), "\(status)")
    if case .signalled = status { Issue.record("it was killed: \(status)") }
    #expect(waitUntil(2) { children.allSatisfy { !$0.isAlive } })

    let bus = try PrivateBus(stage.rig.desktop)
    defer { bus.process.end() }
    try stage.restart()
    let kept = try stage.client.manager("GetTakes").first?.items?.first?.entries
    #expect(kept?["take"] == .uint32(take), "\(String(describing: kept))")
    #expect((kept?["duration"]?.number ?? 0) > 0.8)
    #expect(try stage.client.verb("Start") == take + 1)
    stage.daemon.stop()
  }

  @Test(
    "it is told to end and the bus goes, as at a logout: status 0 whichever is first, the sound kept",
    arguments: [true, false])
  func atLogout(isToldFirst: Bool) throws {
    let stage = try Stage.speaking()
    let take = try stage.begin()
    stage.client.listen(1)
    // The daemon waits for this process until both have happened.
    let file = try stage.daemon.child("voiced-take")
    kill(file.pid, SIGSTOP)
    if isToldFirst {
      stage.daemon.process.signal(SIGTERM)
      _ = try stage.client.ending(take)
    }
    stage.rig.bus.process.end(SIGKILL)
    if !isToldFirst {
      #expect(waitUntil(3) { stage.daemon.log.contains("the session bus is gone") })
      stage.daemon.process.signal(SIGTERM)
    }
    kill(file.pid, SIGCONT)
    #expect(stage.daemon.process.wait(5) == .exited(0))
    let bus = try PrivateBus(stage.rig.desktop)
    defer { bus.process.end() }
    try stage.restart()
    let kept = try stage.client.manager("GetTakes").first?.items?.first?.entries
    #expect(kept?["take"] == .uint32(take), "\(String(describing: kept))")
    stage.daemon.stop()
  }

  @Test("at rest: it exits at once, and non-zero")
  func atRest() throws {
    let stage = try Stage.speaking()
    stage.rig.bus.process.end(SIGKILL)
    let status = try #require(stage.daemon.process.wait(3))
    #expect(status == .exited(1), "\(status)")
  }

  @Test("while it starts there is no bus at all: it says so and exits non-zero")
  func never() throws {
    let desktop = try PrivateDesktop()
    let result = try runTool(
      DaemonUnderTest.productFolder + "/voiced", [], environment: desktop.environment)
    #expect(result.status == .exited(1))
    #expect(result.errorText.contains("bus") || result.errorText.contains("connect"))
  }

  @Test("another daemon has the name: the second one says so and exits non-zero, the first lives")
  func second() throws {
    let stage = try Stage.speaking()
    let take = try stage.begin()
    let result = try runTool(
      DaemonUnderTest.productFolder + "/voiced", [], environment: stage.rig.desktop.environment)
    #expect(result.status == .exited(1))
    #expect(result.errorText.contains("org.voiced.Voiced1"))
    #expect(try stage.phase == "locked")
    stage.client.listen(0.7)
    #expect(try stage.send(take).duration > 0.5)
  }
}
