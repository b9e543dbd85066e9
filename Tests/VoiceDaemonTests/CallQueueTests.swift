import Testing
import VoiceIO
import VoiceTestKit

@testable import VoiceDaemon

/// Calls of an object are answered in the order of the bus, whatever becomes known first.
@Suite struct CallQueueTests {
  /// A service with one queue, whose calls wait until they are let through by name.
  private final class Service {
    let client: BusClient
    let clients: Clients
    let queue = CallQueue()
    var held: [String: () -> Void] = [:]
    var dispatched: [String] = []
    var callers: [String] = []
    var withheld: Set<String> = []

    init(_ address: String) throws {
      client = try BusClient(address)
      clients = Clients(bus: client.bus)
      client.bus.onCall = { [weak self] call in
        guard let self else { return }
        queue.add(call, clients: clients) { [weak self] in self?.pump() }
      }
    }

    private func pump() {
      queue.pump(
        prepare: { [weak self] call, then in
          guard let self, withheld.contains(call.member) else { return then() }
          held[call.member] = then
        },
        dispatch: { [weak self] call, client in
          self?.dispatched.append(call.member)
          self?.callers.append(client.name)
          call.reply([])
        })
    }
  }

  private let bus: PrivateBus
  private let service: Service
  private let peers: [BusClient]

  init() throws {
    bus = try PrivateBus()
    service = try Service(bus.address)
    let address = bus.address
    peers = try (0..<2).map { _ in try BusClient(address) }
  }

  /// Calls over one connection; the bus has it before this returns.
  private func call(_ member: String, by peer: Int, done: @escaping (Bool) -> Void = { _ in })
    throws
  {
    peers[peer].bus.call(
      destination: service.client.uniqueName, path: "/x", interface: "org.voiced.Test",
      member: member
    ) { result in
      if case .success = result { done(true) } else { done(false) }
    }
    _ = try peers[peer].call(
      destination: "org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus", "GetId")
  }

  @Test("calls of several connections come in the order of the bus")
  func order() throws {
    let members = (0..<12).map { "Call\($0)" }
    for (index, member) in members.enumerated() { try call(member, by: index % 2) }
    #expect(service.client.wait(5) { service.dispatched.count == members.count })
    #expect(service.dispatched == members)
    #expect(service.callers == (0..<12).map { peers[$0 % 2].uniqueName })
    #expect(service.queue.isEmpty)
  }

  @Test("a call that is not ready holds up the later ones, of others too")
  func waiting() throws {
    service.withheld = ["Second"]
    for (member, peer) in [("First", 0), ("Second", 1), ("Third", 0), ("Fourth", 1)] {
      try call(member, by: peer)
    }
    #expect(service.client.wait(5) { service.held["Second"] != nil })
    service.client.listen(0.1)
    #expect(service.dispatched == ["First"])
    service.held.removeValue(forKey: "Second")?()
    #expect(service.client.wait(5) { service.dispatched.count == 4 })
    #expect(service.dispatched == ["First", "Second", "Third", "Fourth"])
  }

  @Test("a caller that is gone is nobody, and holds nobody up")
  func gone() throws {
    var leaving: BusClient? = try BusClient(bus.address)
    leaving?.bus.call(
      destination: service.client.uniqueName, path: "/x", interface: "org.voiced.Test",
      member: "First"
    ) { _ in }
    leaving?.bus.flush(atMost: 1)
    leaving = nil
    try call("Second", by: 0)
    #expect(service.client.wait(5) { service.dispatched.last == "Second" })
    #expect(leaving == nil)
  }

  @Test("no more than 1024 calls wait: one more is refused, and those that wait are answered")
  func limit() throws {
    service.withheld = ["Held"]
    try call("Held", by: 0)
    #expect(service.client.wait(5) { service.held["Held"] != nil })
    var answers: [Bool] = []
    for _ in 0..<1024 {
      peers[1].bus.call(
        destination: service.client.uniqueName, path: "/x", interface: "org.voiced.Test",
        member: "Other"
      ) { result in
        if case .success = result { answers.append(true) } else { answers.append(false) }
      }
    }
    #expect(
      service.client.wait(10) {
        peers[1].listen(0.005)
        return answers == [false]
      })
    service.held.removeValue(forKey: "Held")?()
    #expect(
      service.client.wait(10) {
        peers[1].listen(0.005)
        return answers.count == 1024
      })
    #expect(answers.filter { !$0 }.count == 1)
    #expect(service.dispatched.count == 1024)
  }
}
