import Glibc
import Testing
import VoiceIO
import VoiceTestKit

/// Whose a take, a lease, a private recorder is, and what becomes of it without its owner.
@Suite("Ownership", .lane)
struct OwnershipTests {
  @Test(
    "a view that began the take leaves or detaches: a held take ends, a locked one is stopped",
    arguments: ["leaves", "detaches"], [("Press", "idle"), ("Start", "stopped")])
  func view(how: String, what: (verb: String, phase: String)) throws {
    let stage = try Stage.speaking()
    var view: BusClient? = try stage.rig.client()
    _ = try view?.call(Voiced.recorderPath, Voiced.recorder, "Attach")
    let take = try stage.begin(what.verb, by: view)
    stage.client.listen(0.7)
    if how == "detaches" {
      _ = try view?.call(Voiced.recorderPath, Voiced.recorder, "Detach")
    } else {
      view = nil
    }
    #expect(try stage.becomes(what.phase))
    if what.phase == "stopped" {
      #expect(try stage.client.verb("Send") == take)
      #expect(try stage.recording(take).duration > 0.5)
    } else {
      #expect(try stage.client.ending(take).ending == "interrupted")
    }
    withExtendedLifetime(view) {}
  }

  @Test("a view that attached after its Press, or left before it was heard, leaves no take running")
  func lateViews() throws {
    let stage = try Stage.speaking()
    var view: BusClient? = try stage.rig.client()
    let take = try stage.begin("Press", by: view)
    _ = try view?.call(Voiced.recorderPath, Voiced.recorder, "Attach")
    view = nil
    #expect(try stage.client.ending(take).ending == "interrupted")
    // A daemon that does not know its sources yet answers later than such a view lives.
    for _ in 0..<5 {
      _ = stage.daemon.stop()
      view = try stage.rig.client()
      try stage.restart()
      for member in ["Attach", "Start"] {
        view?.bus.call(
          destination: Voiced.name, path: Voiced.recorderPath, interface: Voiced.recorder,
          member: member, [], timeout: 5
        ) { _ in }
      }
      view?.bus.flush(atMost: 1)
      view = nil
      stage.client.listen(0.3)
      #expect(try stage.phase == "idle")
    }
    #expect(try stage.isAtRest())
  }

  @Test("a view that did not begin the take, and a caller that never attached, leave it alone")
  func others() throws {
    let stage = try Stage.speaking()
    var view: BusClient? = try stage.rig.client()
    var key: BusClient? = try stage.rig.client()
    _ = try view?.call(Voiced.recorderPath, Voiced.recorder, "Attach")
    let take = try stage.begin(by: key)
    (view, key) = (nil, nil)
    stage.client.listen(0.8)
    #expect(try stage.phase == "locked")
    #expect(try stage.send(take).ending == "sent")
    #expect(view == nil && key == nil)
  }

  @Test("a private recorder: its own settings and take, heard by its owner alone, gone with it")
  func privateRecorder() throws {
    let stage = try Stage.speaking()
    var owner: BusClient? = try stage.rig.client()
    let created = try owner?.manager(
      "CreateRecorder", [.dictionary(["Format": .string("wav"), "MinimumDuration": .double(0)])])
    let path = try #require(created?.first?.text)
    let shared = try stage.begin()
    let own = try #require(try owner?.verb("Start", path: path))
    #expect(own == shared + 1)
    #expect(stage.daemon.children.filter(\.isSource).count == 1, "they share one source process")
    try #require(owner).signal("Level", within: 5, path: path)
    #expect(try stage.client.get("CurrentTake") == .uint32(shared))
    #expect(try owner?.verb("Send", path: path) == own)
    let finished = try #require(try owner?.ending(own))
    #expect(try Recording(finished).sound().rate == 48_000)
    #expect(try stage.phase == "locked")
    #expect(!stage.client.received.contains { $0.signal.path == path })
    #expect(stage.client.error { _ = try $0.verb("Start", path: path) } == "AccessDenied")

    // It goes in the middle of a take; what was heard waits in the recovery area.
    let last = try #require(try owner?.verb("Start", path: path))
    try #require(owner).signal("Notice", within: 5, path: path) { $0.take == last }
    owner?.listen(0.5)
    owner = nil
    try stage.client.signal("TakeFound", within: 4) { $0.arguments.first == .uint32(last) }
    #expect(stage.client.error { _ = try $0.getAll(path: path) } == "UnknownObject")
    #expect(try stage.send(shared).ending == "sent")
    #expect(try stage.isAtRest())
  }

  @Test("RemoveRecorder and Close end what a client holds that never leaves the bus")
  func told() throws {
    let stage = try Stage.speaking()
    let made = try stage.client.manager("CreateRecorder", [.dictionary([:])])
    let path = try #require(made.first?.text)
    let take = try stage.client.verb("Start", path: path)
    let lease = try stage.client.openMonitor(["source": .string("speech")])
    #expect(stage.hears(lease, floor: 0.05))
    let other = try stage.rig.client()
    #expect(other.error { try $0.manager("RemoveRecorder", [.path(path)]) } == "InvalidValue")
    #expect(other.error { _ = try $0.call(lease, Voiced.monitor, "Close") } == "AccessDenied")
    for (object, interface, member, opener) in [
      (lease, Voiced.monitor, "Close", "OpenMonitor"),
      (path, Voiced.recorder, "Start", "CreateRecorder"),
    ] {
      let failure = try #require(throws: BusFailure.self) {
        try other.call(object, interface, member)
      }
      #expect(failure.text.contains(opener), "\(failure.text)")
      #expect(!failure.text.contains("privacy"), "\(failure.text)")
    }
    try stage.client.manager("RemoveRecorder", [.path(path)])
    _ = try stage.client.call(lease, Voiced.monitor, "Close")
    try stage.client.signal("Closed", path: lease) { $0.arguments == [.string("closed")] }
    #expect(try stage.client.ending(take).ending == "interrupted")
    #expect(stage.client.error { _ = try $0.getAll(of: Voiced.monitor, path: lease) } != nil)
    #expect(try stage.isAtRest())
  }

  @Test("leases of programs that are killed in any order are counted exactly, on one source")
  func killedOwners() throws {
    let stage = try Stage.speaking()
    var owners = try (0..<5).map { _ in try stage.lessee() }
    func count() throws -> Int {
      try stage.client.get("Listeners", of: Voiced.manager).items?.count ?? -1
    }
    #expect(try stage.client.wait(6) { try count() == 5 })
    let listeners = try stage.client.get("Listeners", of: Voiced.manager).items ?? []
    let pids = Set(listeners.compactMap { $0.entries?["pid"]?.whole.map { Int32($0) } })
    #expect(pids == Set(owners.map(\.pid)))
    #expect(listeners.allSatisfy { $0.entries?["process"]?.text == "vctl" })
    #expect(stage.daemon.children.filter(\.isSource).count == 1)
    var random = SeededRandom(seed: 7)
    owners.shuffle(using: &random)
    while let owner = owners.popLast() {
      owner.end(SIGKILL)
      #expect(try stage.client.wait(3) { try count() == owners.count })
      // The source runs for the last one still, and for nobody after it.
      if !owners.isEmpty { #expect(stage.daemon.children.filter(\.isSource).count == 1) }
    }
    #expect(try stage.isAtRest())
  }

  @Test("callers that are gone before their watch exists leave nothing")
  func hastyCallers() throws {
    let stage = try Stage.speaking()
    var clients: [BusClient] = []
    for _ in 0..<20 {
      let client = try stage.rig.client()
      for member in ["OpenMonitor", "CreateRecorder"] {
        client.bus.call(
          destination: Voiced.name, path: Voiced.path, interface: Voiced.manager, member: member,
          [.dictionary(member == "OpenMonitor" ? ["source": .string("speech")] : [:])]
        ) { _ in }
      }
      client.bus.flush(atMost: 1)
    }
    #expect(
      try stage.client.wait(4) {
        try stage.client.get("Listeners", of: Voiced.manager).items?.isEmpty == true
      })
    #expect(try stage.isAtRest())
    // None of the recorders counts any more: the next clients may have all there are.
    for _ in 0..<8 {
      let client = try stage.rig.client()
      for _ in 0..<4 { try client.manager("CreateRecorder", [.dictionary([:])]) }
      clients.append(client)
    }
  }

  @Test("limits: 16 leases and 4 recorders of a client, 256 and 32 in all, then LimitExceeded")
  func limits() throws {
    let stage = try Stage.speaking()
    // They hear nothing: 17 programs that follow each change of 256 listeners are another story.
    let clients = try (0..<17).map { _ in
      try BusClient(stage.rig.desktop.busAddress, hears: nil)
    }
    let lease: (BusClient) -> String? = { client in
      client.error { _ = try $0.openMonitor(["source": .string("speech"), "rate": .uint32(1)]) }
    }
    let recorder: (BusClient) -> String? = { client in
      client.error { try $0.manager("CreateRecorder", [.dictionary([:])]) }
    }
    for client in clients[..<16] {
      for _ in 0..<16 { #expect(lease(client) == nil) }
    }
    #expect(lease(clients[0]) == "LimitExceeded")
    #expect(lease(clients[16]) == "LimitExceeded")
    for client in clients[..<8] {
      for _ in 0..<4 { #expect(recorder(client) == nil) }
    }
    #expect(recorder(clients[0]) == "LimitExceeded")
    #expect(recorder(clients[16]) == "LimitExceeded")
    #expect(stage.daemon.children.count == 1)
    #expect(try stage.phase == "idle")
  }

  @Test("two sessions and several leases on one microphone share one process and one node")
  func oneNode() throws {
    let stage = try Stage(.running)
    _ = try stage.rig.microphone("mine", Sound.sine(1, hertz: 400))
    try stage.use("microphone", "mine")
    let leases = try (0..<3).map { _ in
      try stage.client.openMonitor(["source": .string("microphone"), "target": .string("mine")])
    }
    let path = try stage.pinnedRecorder("mine")
    let own = try stage.client.verb("Start", path: path)
    let take = try stage.begin()
    for lease in leases { #expect(stage.hears(lease)) }
    #expect(try stage.nodes().count == 1)
    #expect(stage.daemon.children.filter(\.isSource).count == 1)
    stage.client.listen(0.5)
    #expect(try stage.send(own, path: path).tones(400).contains("0"))
    #expect(try stage.send(take).tones(400).contains("0"))
    #expect(try stage.nodes().count == 1, "the leases hold it still")
    for lease in leases { _ = try stage.client.call(lease, Voiced.monitor, "Close") }
    #expect(try stage.isAtRest())
  }
}

extension ProcessFacts {
  /// Whether this is a source process of the daemon that runs, not one that only answers a question.
  var isSource: Bool {
    command.first?.hasSuffix("/voiced-source") == true && command.dropFirst().first?.first != "-"
  }
}

extension Stage {
  /// A program of its own with a lease on the speech source.
  func lessee(output: Int32? = nil) throws -> RigProcess {
    try RigProcess(
      ChildCommand(
        path: DaemonUnderTest.productFolder + "/vctl", arguments: ["monitor", "speech", "--json"],
        environment: rig.desktop.environment), output: output)
  }
}
