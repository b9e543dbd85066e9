import Glibc
import Testing
import VoiceIO
import VoiceTestKit

@Suite("Bus signals and peers")
struct BusSignalTests {
  let daemon: PrivateBus
  let loop: EventLoop
  let sender: Bus
  let hearer: Bus

  init() throws {
    daemon = try PrivateBus()
    loop = try EventLoop()
    sender = try Bus(loop: loop, address: .other(daemon.address))
    hearer = try Bus(loop: loop, address: .other(daemon.address))
  }

  /// Waits until the bus has handled everything this connection has sent.
  private func settle(_ bus: Bus) throws {
    var isDone = false
    bus.processID(of: bus.uniqueName) { _ in isDone = true }
    #expect(loop.turn(within: 5) { isDone })
  }

  @Test("a subscription hears what matches, nothing else, and nothing once cancelled")
  func matching() throws {
    var heard: [BusSignal] = []
    let subscription = hearer.subscribe(
      sender: sender.uniqueName, path: "/a", interface: "a.b", member: "S", arg0: "it's"
    ) { heard.append($0) }
    var others = 0
    hearer.subscribe(sender: nil, path: "/z", interface: nil, member: nil) { _ in others += 1 }
    try settle(hearer)
    sender.emit(path: "/a", interface: "a.b", member: "S", [.string("other")])
    sender.emit(path: "/b", interface: "a.b", member: "S", [.string("it's")])
    sender.emit(path: "/a", interface: "a.c", member: "S", [.string("it's")])
    sender.emit(path: "/a", interface: "a.b", member: "S", [.string("it's"), .uint32(1)])
    sender.emit(path: "/z", interface: "a.b", member: "S")
    #expect(loop.turn(within: 5) { others == 1 })
    #expect(
      heard == [
        BusSignal(
          sender: sender.uniqueName, path: "/a", interface: "a.b", member: "S",
          arguments: [.string("it's"), .uint32(1)])
      ])
    subscription.cancel()
    sender.emit(path: "/a", interface: "a.b", member: "S", [.string("it's")])
    sender.emit(path: "/z", interface: "a.b", member: "S")
    #expect(loop.turn(within: 5) { others == 2 })
    #expect(heard.count == 1)
  }

  @Test("a signal to one peer is not heard by others")
  func unicast() throws {
    let other = try Bus(loop: loop, address: .other(daemon.address))
    var heard: [String] = []
    for (name, bus) in [("hearer", hearer), ("other", other)] {
      bus.subscribe(sender: nil, path: nil, interface: "a.b", member: nil) { signal in
        heard.append("\(name) \(signal.member)")
      }
      try settle(bus)
    }
    sender.emit(path: "/a", interface: "a.b", member: "Private", to: other.uniqueName)
    sender.emit(path: "/a", interface: "a.b", member: "Public")
    #expect(loop.turn(within: 5) { heard.count == 3 })
    #expect(heard.sorted() == ["hearer Public", "other Private", "other Public"])
  }

  @Test("a handler may cancel another that was to hear the same signal")
  func cancelInside() throws {
    var heard: [Int] = []
    var second: Subscription?
    hearer.subscribe(sender: nil, path: "/a", interface: nil, member: nil) { _ in
      heard.append(1)
      second?.cancel()
    }
    second = hearer.subscribe(sender: nil, path: "/a", interface: nil, member: nil) { _ in
      heard.append(2)
    }
    try settle(hearer)
    sender.emit(path: "/a", interface: "a.b", member: "S")
    #expect(loop.turn(within: 5) { !heard.isEmpty })
    #expect(heard == [1])
  }

  @Test("a peer that leaves is told gone once, to each who asked and not to who cancelled")
  func gone() throws {
    var peer: Bus? = try Bus(loop: loop, address: .other(daemon.address))
    let name = try #require(peer?.uniqueName)
    var told: [Int] = []
    hearer.watchPeer(name) { told.append(1) }
    let cancelled = hearer.watchPeer(name) { told.append(2) }
    hearer.watchPeer(name) { told.append(3) }
    cancelled.cancel()
    try settle(hearer)
    #expect(told == [])
    peer = nil
    #expect(loop.turn(within: 5) { told.count == 2 })
    try settle(hearer)
    #expect(told == [1, 3])
  }

  @Test("a peer that left before is told gone, from the loop")
  func goneBefore() throws {
    var peer: Bus? = try Bus(loop: loop, address: .other(daemon.address))
    let name = try #require(peer?.uniqueName)
    peer = nil
    var told = 0
    hearer.watchPeer(name) { told += 1 }
    hearer.watchPeer(name) { told += 1 }
    #expect(told == 0)
    #expect(loop.turn(within: 5) { told == 2 })
    hearer.watchPeer(name) { told += 1 }
    #expect(loop.turn(within: 5) { told == 3 })
  }

  @Test("a well-known name is gone when its owner gives it up, not when it first appears")
  func wellKnown() throws {
    try sender.requestName("org.voiced.Test")
    var told = 0
    hearer.watchPeer("org.voiced.Test") { told += 1 }
    try settle(hearer)
    #expect(told == 0)
    _ = try sender.callAndWait(
      destination: "org.freedesktop.DBus", path: "/", interface: "org.freedesktop.DBus",
      member: "ReleaseName", [.string("org.voiced.Test")], timeout: 5)
    #expect(loop.turn(within: 5) { told == 1 })
  }

  @Test("nobody but the bus can say that a peer is gone")
  func forged() throws {
    var told = 0
    hearer.watchPeer(sender.uniqueName) { told += 1 }
    var isHeard = false
    hearer.subscribe(sender: nil, path: nil, interface: nil, member: "NameOwnerChanged") { signal in
      isHeard = isHeard || signal.sender == sender.uniqueName
    }
    try settle(hearer)
    sender.emit(
      path: "/org/freedesktop/DBus", interface: "org.freedesktop.DBus", member: "NameOwnerChanged",
      [.string(sender.uniqueName), .string(sender.uniqueName), .string("")],
      to: hearer.uniqueName)
    #expect(loop.turn(within: 5) { isHeard })
    #expect(told == 0)
  }

  @Test("the process behind a name is known, and none behind nobody's")
  func process() throws {
    var answers: [UInt32?] = []
    hearer.processID(of: sender.uniqueName) { answers.append($0) }
    hearer.processID(of: ":1.9999") { answers.append($0) }
    #expect(loop.turn(within: 5) { answers.count == 2 })
    #expect(answers == [UInt32(getpid()), nil])
  }

  @Test("the end of the bus is told once, and waiting calls fail")
  func disconnect() throws {
    var told = 0
    var failures: [String] = []
    hearer.onDisconnect = { told += 1 }
    sender.onCall = { _ = $0.member }
    hearer.call(
      destination: "org.freedesktop.DBus", path: "/", interface: "org.freedesktop.DBus",
      member: "GetId"
    ) { _ in }
    try settle(hearer)
    var kept: [BusCall] = []
    sender.onCall = { kept.append($0) }
    hearer.call(
      destination: sender.uniqueName, path: "/", interface: "a.b", member: "X", timeout: 60
    ) { result in
      if case .failure(let failure) = result { failures.append(failure.name) }
    }
    #expect(loop.turn(within: 5) { kept.count == 1 })
    daemon.process.end(SIGKILL)
    #expect(loop.turn(within: 5) { told == 1 && failures.count == 1 })
    #expect(!hearer.isConnected)
    // Everything still answers, none waits, and the loop sleeps.
    #expect(!hearer.emit(path: "/", interface: "a.b", member: "S"))
    hearer.subscribe(sender: nil, path: nil, interface: nil, member: nil) { _ in }
    hearer.watchPeer(":1.1") { Issue.record("told gone") }.cancel()
    kept = []
    hearer.call(
      destination: ":1.1", path: "/", interface: "a.b", member: "X"
    ) { result in
      if case .failure(let failure) = result { failures.append(failure.name) }
    }
    #expect(loop.turn(within: 5) { failures.count == 2 })
    #expect(failures.last == "org.freedesktop.DBus.Error.Disconnected")
    #expect(loop.rounds(in: 0.1) <= 1 && told == 1)
  }

  @Test("connecting to no bus, or one that says nothing, is an error that says so")
  func noBus() throws {
    let folder = try TemporaryFolder()
    let failure = #expect(throws: BusFailure.self) {
      try Bus(loop: loop, address: .other("unix:path=\(folder.path)/none"))
    }
    #expect(failure?.text.contains("/none") == true)
    #expect(throws: BusFailure.self) { try Bus(loop: loop, address: .other("nonsense")) }
    kill(daemon.process.pid, SIGSTOP)
    defer { kill(daemon.process.pid, SIGCONT) }
    let start = EventLoop.now
    let silent = #expect(throws: BusFailure.self) {
      try Bus(loop: loop, address: .other(daemon.address), timeout: 0.2)
    }
    #expect(silent?.name == "org.freedesktop.DBus.Error.NoReply")
    #expect(EventLoop.now - start < 2_000_000_000)
  }

  @Test("a bus that stands still costs a bounded memory, and droppable signals only")
  func standingStill() throws {
    var heard = 0
    hearer.subscribe(sender: nil, path: "/level", interface: nil, member: nil) { _ in heard += 1 }
    try settle(hearer)
    kill(daemon.process.pid, SIGSTOP)
    defer { kill(daemon.process.pid, SIGCONT) }
    var sent = 0
    while sent < 100_000,
      sender.emit(
        path: "/level", interface: "a.b", member: "Level", [.double(0.5), .double(1)],
        droppable: true)
    {
      sent += 1
    }
    #expect(sent < 100_000 && sender.droppedSignals == 1)
    #expect(sender.unsentBytes > 64 * 1024 && sender.unsentBytes < 66 * 1024)
    let text = BusValue.string(String(repeating: "x", count: 100_000))
    var others = 0
    while others < 1000,
      sender.emit(path: "/other", interface: "a.b", member: "Phase", [text])
    {
      others += 1
    }
    #expect(others > 50 && others < 100)
    #expect(sender.unsentBytes < 9 * 1024 * 1024)
    // The loop sleeps meanwhile, though it wants to write.
    #expect(loop.rounds(in: 0.1) <= 1)
    kill(daemon.process.pid, SIGCONT)
    #expect(loop.turn(within: 10) { heard == sent && sender.unsentBytes == 0 })
    #expect(sender.emit(path: "/level", interface: "a.b", member: "Level", droppable: true))
    #expect(loop.turn(within: 5) { heard == sent + 1 })
  }

  @Test("a peer that reads nothing keeps nobody else from hearing")
  func sleepingPeer() throws {
    let otherLoop = try EventLoop()
    let sleeper = try Bus(loop: otherLoop, address: .other(daemon.address))
    sleeper.subscribe(sender: nil, path: "/level", interface: nil, member: nil) { _ in }
    sleeper.flush(atMost: 2)
    var heard = 0
    hearer.subscribe(sender: nil, path: "/level", interface: nil, member: nil) { _ in heard += 1 }
    try settle(hearer)
    var sent = 0
    let timer = loop.timer {
      for _ in 0..<100
      where sender.emit(
        path: "/level", interface: "a.b", member: "Level", [.double(0.5)], droppable: true)
      {
        sent += 1
      }
    }
    timer.repeat(every: 0.001)
    #expect(loop.turn(within: 20) { sent >= 10_000 })
    timer.cancel()
    #expect(loop.turn(within: 10) { heard == sent })
    withExtendedLifetime(sleeper) {}
  }
}
