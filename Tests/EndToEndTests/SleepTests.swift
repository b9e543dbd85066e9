import Glibc
import Testing
import VoiceIO
import VoiceTestKit

/// The machine sleeps, or the screen is locked: told by a logind of the test's own.
@Suite("Sleep and lock", .lane)
struct SleepTests {
  @Test("suspend in a take: our inhibitor is held until the take is closed, and again after resume")
  func suspend() throws {
    let scene = try Scene()
    let stage = scene.stage
    #expect(scene.logind.asked.first?.first == "sleep" && scene.logind.asked.first?.last == "delay")
    let take = try stage.begin()
    stage.client.listen(1.2)
    let spool = try #require(stage.files(in: "spool").first)

    scene.logind.tellSleep(true)
    #expect(scene.logind.serve(5) { scene.logind.held == 0 }, "the machine was kept awake")
    // What holds at this moment holds when the machine goes down: the file says what it has.
    let kept = try WaveFile(spool)
    #expect(kept.seconds > 1)
    #expect(try stage.phase == "stopped")

    scene.logind.tellSleep(false)
    #expect(scene.logind.serve(3) { scene.logind.held == 1 }, "not held after the resume")
    let recording = try stage.send(take)
    #expect(abs(recording.duration - kept.seconds) < 0.001)
    #expect(try stage.record(0.7).duration > 0.5)
  }

  @Test("suspend while a key is held: the take is interrupted and its sound kept")
  func suspendWhileHeld() throws {
    let scene = try Scene()
    let stage = scene.stage
    let take = try stage.begin("Press")
    stage.client.listen(0.8)
    scene.logind.tellSleep(true)
    #expect(scene.logind.serve(5) { scene.logind.held == 0 })
    #expect(soundFiles(in: stage.rig.desktop.state + "/voiced/recovery").count == 1)
    #expect(try stage.client.ending(take).ending == "interrupted")
    #expect(try stage.phase == "idle")
  }

  @Test("suspend without a take: the machine is not kept awake for long")
  func suspendAtRest() throws {
    let scene = try Scene()
    let told = BusClient.now
    scene.logind.tellSleep(true)
    #expect(scene.logind.serve(5) { scene.logind.held == 0 })
    #expect(BusClient.now - told < 2)
    scene.logind.tellSleep(false)
    #expect(scene.logind.serve(3) { scene.logind.held == 1 })
  }

  @Test("what begins while the machine is kept awake ends too, and a resume meanwhile counts")
  func busyWhileFallingAsleep() throws {
    let scene = try Scene()
    let stage = scene.stage
    try stage.begin()
    let made = try stage.client.manager("CreateRecorder", [.dictionary([:])])
    let path = try #require(made.first?.text)
    // Its sound is not on the disk as long as it stands still.
    let process = try stage.daemon.child("voiced-take").pid
    kill(process, SIGSTOP)
    defer { kill(process, SIGCONT) }
    let told = BusClient.now
    scene.logind.tellSleep(true)
    #expect(try stage.becomes("stopped"))
    let late = try stage.client.verb("Press", path: path)
    #expect(try stage.client.ending(late, within: 2).ending == "interrupted")
    #expect(scene.logind.held == 1)
    scene.logind.tellSleep(false)
    #expect(!scene.logind.serve(5 - (BusClient.now - told)) { scene.logind.held == 0 })
    kill(process, SIGCONT)
    #expect(try stage.client.verb("Cancel") > 0)
  }

  @Test("what begins after the machine was let go, before it sleeps, ends; after the sleep it runs")
  func begunTooLate() throws {
    let scene = try Scene()
    let stage = scene.stage
    scene.logind.tellSleep(true)
    #expect(scene.logind.serve(5) { scene.logind.held == 0 })
    // Another program may hold the machine awake for a while.
    stage.client.listen(0.5)
    let take = try stage.client.verb("Press")
    #expect(try stage.client.ending(take, within: 3).ending == "interrupted")
    scene.logind.tellSleep(false)
    #expect(scene.logind.serve(3) { scene.logind.held == 1 })
    #expect(try stage.record(0.7).duration > 0.5)
  }

  @Test("a system bus that never answers: the session bus is served at once")
  func silentSystemBus() throws {
    var system: PrivateBus?
    let stage = try Stage(configuration: ["source = speech"]) { rig in
      let address = rig.desktop.environment["DBUS_SYSTEM_BUS_ADDRESS"]
      system = try PrivateBus(rig.desktop, address: address, log: "system-bus")
      system?.process.signal(SIGSTOP)
    }
    let asked = BusClient.now
    #expect(try stage.phase == "idle")
    #expect(BusClient.now - asked < 3)
    #expect(try stage.record(0.7).duration > 0.5)
    #expect(stage.daemon.stop() == .exited(0))
    system?.process.end()
  }

  @Test("the machine wakes up: what was too old to keep by then goes")
  func expiry() throws {
    let scene = try Scene()
    let stage = scene.stage
    try stage.begin("Press")
    stage.client.listen(0.8)
    scene.logind.tellSleep(true)
    #expect(scene.logind.serve(5) { scene.logind.held == 0 })
    let file = try #require(stage.files(in: "recovery").first)
    try setAge(of: file, hours: 24.1)
    scene.logind.tellSleep(false)
    #expect(scene.logind.serve(3) { access(file, F_OK) != 0 })
  }

  @Test(
    "the screen is locked: takes go on, or stop where the configuration says so",
    arguments: [false, true])
  func lock(stops: Bool) throws {
    let scene = try Scene(configuration: ["lock-screen = \(stops ? "yes" : "no")"])
    let stage = scene.stage
    let take = try stage.begin()
    stage.client.listen(0.7)
    scene.logind.tellLock()
    // The daemon asks whether that is the session of its user's seat.
    #expect(scene.logind.serve(2) { scene.logind.isSessionAsked })
    #expect(try stage.becomes(stops ? "stopped" : "locked"))
    if !stops { stage.client.listen(0.3) }
    #expect(try stage.phase == (stops ? "stopped" : "locked"))
    _ = try stage.send(take)
  }

  @Test("the screen is locked, and logind does not know the user's session: takes stop")
  func lockOfAnySession() throws {
    let scene = try Scene()
    scene.logind.knowsSession = false
    let take = try scene.stage.begin()
    scene.stage.client.listen(0.7)
    scene.logind.tellLock()
    #expect(scene.logind.serve(2) { scene.logind.isSessionAsked })
    #expect(try scene.stage.becomes("stopped"))
    _ = try scene.stage.send(take)
  }

  /// A stage with a logind, whose inhibitor the daemon has.
  private final class Scene {
    let stage: Stage
    let logind: FakeLogind

    init(configuration: [String] = []) throws {
      var made: FakeLogind?
      stage = try Stage(configuration: ["source = speech"] + configuration) {
        made = try FakeLogind($0)
      }
      guard let logind = made else { throw RigFailure("no logind") }
      self.logind = logind
      guard logind.serve(5, until: { logind.held == 1 }) else {
        throw RigFailure("the daemon asked for no inhibitor")
      }
    }
  }
}
