import Glibc
import Testing
import VoiceIO
import VoiceTestKit

/// Keys that bounce, edges that get lost, clients that hurry.
@Suite("Edges", .lane)
struct EdgeTests {
  @Test("a lost Release: the next Press begins nothing, its Release ends the one take")
  func lostRelease() throws {
    let stage = try Stage.speaking()
    let take = try stage.begin("Press")
    stage.client.listen(0.7)
    #expect(try stage.client.verb("Press") == 0)
    #expect(try stage.client.verb("Start") == 0)
    #expect(try stage.client.verb("Release") == take)
    #expect(try stage.recording(take).ending == "sent")
    #expect(try stage.phase == "idle")
  }

  @Test("a lost Press and a doubled Release change nothing")
  func doubledRelease() throws {
    let stage = try Stage.speaking()
    for verb in ["Release", "Lock", "Send", "Cancel"] {
      #expect(try stage.client.verb(verb) == 0, "\(verb)")
    }
    let take = try stage.begin("Press")
    stage.client.listen(0.7)
    #expect(try stage.client.verb("Release") == take)
    #expect(try stage.client.verb("Release") == 0)
    #expect(try stage.recording(take).ending == "sent")
    stage.client.listen(0.3)
    #expect(stage.endings(of: take).count == 1)
    #expect(stage.client.received.filter { $0.member == "Phase" }.count == 2)
  }

  @Test("a key that bounces at 30 Hz on two clients: one take at a time, one ending each, rest")
  func bouncing() throws {
    let stage = try Stage.speaking()
    let clients = try (0..<2).map { _ in try stage.rig.client() }
    let before = stage.daemon.facts.ownMemory
    for round in 0..<30 {
      for client in clients {
        client.bus.call(
          destination: Voiced.name, path: Voiced.recorderPath, interface: Voiced.recorder,
          member: round % 2 == 0 ? "Press" : "Release"
        ) { _ in }
        client.listen(0.001)
      }
      stage.client.listen(0.03)
    }
    #expect(try stage.becomes("idle"))
    try stage.expectOrderlyTakes()
    #expect(try stage.isAtRest())
    #expect(isSanitized || stage.daemon.facts.ownMemory - before < 1024)
  }

  @Test("with a release grace, the pairs of an auto-repeat are one take")
  func releaseGrace() throws {
    let stage = try Stage.speaking(configuration: ["release-grace = 0.2"])
    let take = try stage.begin("Press")
    for _ in 0..<15 {
      // Both in one go: the pair is as close as a keyboard's own repeat makes it.
      var answers: [UInt32] = []
      for verb in ["Release", "Press"] {
        stage.client.bus.call(
          destination: Voiced.name, path: Voiced.recorderPath, interface: Voiced.recorder,
          member: verb
        ) { answers.append((try? $0.get())?.first?.whole.flatMap { UInt32(exactly: $0) } ?? 0) }
      }
      #expect(stage.client.wait(5) { answers.count == 2 })
      #expect(answers == [take, take])
      stage.client.listen(0.04)
    }
    #expect(try stage.phase == "holding")
    #expect(try stage.client.verb("Release") == take)
    let recording = try stage.recording(take)
    #expect(recording.duration > 0.6)
    #expect(stage.client.received.filter { $0.member == "Phase" }.count == 2)
  }

  @Test("Send and the next Start in one breath, again and again: each take has its own ending")
  func sendAndStart() throws {
    let stage = try Stage.speaking(configuration: ["minimum = 0"])
    var take = try stage.begin()
    for round in 0..<8 {
      var answers: [UInt32] = []
      for member in ["Send", "Start"] {
        stage.client.bus.call(
          destination: Voiced.name, path: Voiced.recorderPath, interface: Voiced.recorder,
          member: member
        ) { result in
          answers.append((try? result.get())?.first?.whole.flatMap { UInt32(exactly: $0) } ?? 0)
        }
      }
      #expect(stage.client.wait(3) { answers.count == 2 })
      #expect(answers == [take, take + 1])
      take += 1
      // Now and then the new one gets sound before it is sent.
      if round % 2 == 0 {
        try stage.client.signal("Notice") { [take] in
          $0.arguments.first?.text == "started" && $0.take == take
        }
      }
    }
    try stage.client.verb("Cancel")
    _ = try stage.client.ending(take)
    #expect(stage.client.wait(5) { (1...take).allSatisfy { stage.endings(of: $0).count == 1 } })
    try stage.expectOrderlyTakes()
    #expect(try stage.isAtRest())
  }

  @Test("Press and Release over two connections start the daemon: both act on the one take")
  func activation() throws {
    let rig = try Rig(audio: false)
    // Whatever the machine has to do beside this, the hold is shorter than the minimum.
    try rig.configure(["source = speech", "minimum = 8"])
    try rig.makeActivatable()
    let (first, second) = (try rig.client(), try rig.client())
    for take in UInt32(1)...3 {
      var answers: [String: UInt32] = [:]
      for (client, verb) in [(first, "Press"), (second, "Release")] {
        client.bus.call(
          destination: Voiced.name, path: Voiced.recorderPath, interface: Voiced.recorder,
          member: verb, timeout: 10
        ) { answers[verb] = (try? $0.get())?.first?.whole.map { UInt32($0) } ?? 99 }
        // The bus has read the call by the time it answers this.
        _ = try client.call(
          destination: "org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus",
          "GetId")
      }
      #expect(
        first.wait(12) {
          second.listen(0.01)
          return answers.count == 2
        })
      #expect(answers == ["Press": take, "Release": take])
      let end = try first.ending(take)
      #expect(end.ending == "too-short", "\(end.arguments)")
      #expect(try first.get("CurrentPhase").text == "idle")
      try rig.endActivated(first)
    }
  }

  @Test("a storm of all verbs from four clients: orderly takes, nothing left over")
  func storm() throws {
    let stage = try Stage.speaking(configuration: ["minimum = 0.05"])
    let clients = try (0..<4).map { _ in try stage.rig.client() }
    var random = SeededRandom(seed: 4)
    let verbs = ["Start", "Press", "Start", "Press", "Release", "Lock", "Send", "Cancel"]
    let pauses = [0, 0.001, 0.05, 0.15, 0.3]
    var due = clients.map { _ in 0.0 }
    var failures: [String] = []
    var answered = 0
    var asked = 0
    let before = stage.daemon.facts.ownMemory
    let end = BusClient.now + 4
    while BusClient.now < end {
      for (index, client) in clients.enumerated() where due[index] <= BusClient.now {
        due[index] = BusClient.now + (pauses.randomElement(using: &random) ?? 0)
        asked += 1
        client.bus.call(
          destination: Voiced.name, path: Voiced.recorderPath, interface: Voiced.recorder,
          member: verbs.randomElement(using: &random) ?? "Start"
        ) { result in
          answered += 1
          if case .failure(let failure) = result { failures.append(failure.text) }
        }
      }
      for client in clients { client.listen(0.001) }
      stage.client.listen(0.002)
    }
    #expect(
      stage.client.wait(5) {
        for client in clients { client.listen(0.005) }
        return answered == asked
      })
    try stage.client.verb("Cancel")
    #expect(failures.isEmpty, "\(failures.prefix(3))")
    #expect(try stage.becomes("idle"))
    try stage.expectOrderlyTakes()
    let endings = Set(stage.client.received.filter(\.isEnding).compactMap(\.ending))
    #expect(endings.count > 1, "\(endings)")
    #expect(try stage.isAtRest())
    #expect(stage.files(in: "spool").isEmpty)
    #expect(isSanitized || stage.daemon.facts.ownMemory - before < 1024)
  }
}

extension Stage {
  /// Numbers rise by one from 1, each take has one ending, phases are never told twice, and no take
  /// begins while another runs.
  func expectOrderlyTakes() throws {
    var running: UInt32?
    var last = (phase: "idle", take: UInt32(0))
    var began: [UInt32] = []
    for signal in client.received where signal.member == "Phase" {
      let phase = signal.arguments[0].text ?? ""
      let take = signal.take ?? 0
      if phase == last.phase && take == last.take {
        throw RigFailure("phase \(phase) of take \(take) was told twice")
      }
      if phase == "idle" {
        running = nil
      } else if running != take {
        if let running { throw RigFailure("take \(take) began while \(running) ran") }
        running = take
        began.append(take)
      }
      last = (phase, take)
    }
    if began != Array(1...UInt32(max(1, began.count))) { throw RigFailure("takes \(began)") }
    let isDone = client.wait(6) { began.allSatisfy { endings(of: $0).count == 1 } }
    if !isDone {
      let wrong = began.filter { endings(of: $0).count != 1 }
      throw RigFailure("without exactly one ending: \(wrong) of \(began.count)")
    }
  }
}

extension Rig {
  /// Lets the bus start a program, the daemon unless told otherwise, when somebody calls its name.
  func makeActivatable(
    _ name: String = Voiced.name,
    _ command: String = DaemonUnderTest.productFolder + "/voiced"
  ) throws {
    _ = try desktop.folder.folder("d/dbus-1")
    let folder = try desktop.folder.folder("d/dbus-1/services")
    try TextFile.write(
      "\(folder)/\(name).service", "[D-BUS Service]\nName=\(name)\nExec=\(command)\n")
    _ = try client().call(
      destination: "org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus",
      "ReloadConfig")
  }

  /// Ends a daemon that the bus has started, and waits until it is gone.
  func endActivated(_ client: BusClient) throws {
    let pid = try client.call(
      destination: "org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus",
      "GetConnectionUnixProcessID", [.string(Voiced.name)]
    ).first?.whole.flatMap { Int32(exactly: $0) }
    guard let pid, pid > 1, ProcessFacts(pid).command.first?.hasSuffix("/voiced") == true else {
      throw RigFailure("the bus names no daemon")
    }
    kill(pid, SIGTERM)
    guard try client.waitForOwner(present: false, within: 6) else {
      throw RigFailure("the daemon did not end")
    }
  }
}
