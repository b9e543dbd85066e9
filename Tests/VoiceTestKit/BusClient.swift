import Glibc
package import VoiceIO

/// A client of the bus that waits for its answers, with a loop of its own.
///
/// It belongs to the thread that made it. Signals come in, and get their time, while it waits: for
/// an answer, for a signal, or in `listen`.
package final class BusClient {
  /// A signal and when it came.
  package struct Received {
    /// `CLOCK_MONOTONIC`, in seconds.
    package let time: Double
    package let signal: BusSignal
    package var member: String { signal.member }
    package var arguments: [BusValue] { signal.arguments }
  }

  package let loop: EventLoop
  package let bus: Bus
  /// Everything that came since this was made, oldest first; clear it at will.
  package var received: [Received] = []
  package private(set) var isDisconnected = false
  package var uniqueName: String { bus.uniqueName }

  /// Connects, and hears every signal of the `org.voiced` interfaces from then on; of others, or of
  /// none with `nil`.
  package init(_ address: String, hears namespace: String? = "org.voiced.") throws {
    loop = try EventLoop()
    bus = try Bus(loop: loop, address: .other(address))
    bus.onDisconnect = { [weak self] in self?.isDisconnected = true }
    if let namespace {
      bus.subscribe(sender: nil, path: nil, interface: nil, member: nil) { [weak self] signal in
        guard signal.interface.hasPrefix(namespace) else { return }
        self?.received.append(Received(time: Self.now, signal: signal))
      }
    }
    // The bus answers in order: the match is in place after this.
    _ = try call(
      destination: "org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus", "GetId")
  }

  /// `CLOCK_MONOTONIC`, in seconds.
  package static var now: Double { Double(EventLoop.now) / 1e9 }

  // MARK: Calls

  /// Calls a method and waits for its answer at most `timeout` seconds, or throws why there is none.
  package func call(
    destination: String = Voiced.name, _ path: String, _ interface: String, _ member: String,
    _ arguments: [BusValue] = [], timeout: Double = 25
  ) throws(BusFailure) -> [BusValue] {
    var answer: Result<[BusValue], BusFailure>?
    bus.call(
      destination: destination, path: path, interface: interface, member: member, arguments,
      timeout: timeout
    ) { answer = $0 }
    while true {
      switch answer {
      case .success(let values)?: return values
      case .failure(let failure)?:
        throw BusFailure(name: failure.name, text: "\(member): \(failure.text)")
      case nil: break
      }
      loop.turn(atMost: timeout)
    }
  }

  /// Calls a verb of a recorder; returns the take it acted on.
  @discardableResult
  package func verb(
    _ member: String, _ arguments: [BusValue] = [], path: String = Voiced.recorderPath
  ) throws(BusFailure) -> UInt32 {
    let values = try call(path, Voiced.recorder, member, arguments)
    return values.first?.whole.flatMap { UInt32(exactly: $0) } ?? 0
  }

  /// Calls a method of the manager.
  @discardableResult
  package func manager(
    _ member: String, _ arguments: [BusValue] = []
  ) throws(BusFailure) -> [BusValue] {
    try call(Voiced.path, Voiced.manager, member, arguments)
  }

  /// Leases a level; returns the lease's object path.
  package func openMonitor(_ options: [String: BusValue]) throws(BusFailure) -> String {
    try manager("OpenMonitor", [.dictionary(options)]).first?.text ?? ""
  }

  // MARK: Properties

  package func get(
    _ property: String, of interface: String = Voiced.recorder, path: String? = nil
  ) throws(BusFailure) -> BusValue {
    let values = try call(
      path ?? Voiced.path(of: interface), "org.freedesktop.DBus.Properties", "Get",
      [.string(interface), .string(property)])
    guard case .variant(let value) = values.first else {
      throw BusFailure(name: "", text: "\(property) came without a variant")
    }
    return value
  }

  package func set(
    _ property: String, _ value: BusValue, of interface: String = Voiced.recorder,
    path: String? = nil
  ) throws(BusFailure) {
    _ = try call(
      path ?? Voiced.path(of: interface), "org.freedesktop.DBus.Properties", "Set",
      [.string(interface), .string(property), .variant(value)])
  }

  package func getAll(
    of interface: String = Voiced.recorder, path: String? = nil
  ) throws(BusFailure) -> [String: BusValue] {
    try call(
      path ?? Voiced.path(of: interface), "org.freedesktop.DBus.Properties", "GetAll",
      [.string(interface)]
    ).first?.entries ?? [:]
  }

  // MARK: Waiting

  /// Handles what comes until the condition holds; false when it does not within `deadline` seconds.
  package func wait(_ deadline: Double, until condition: () throws -> Bool) rethrows -> Bool {
    try loop.turn(within: deadline, until: condition)
  }

  /// Handles what comes for so many seconds; returns what came meanwhile.
  @discardableResult
  package func listen(_ seconds: Double) -> [Received] {
    let before = received.count
    _ = wait(seconds) { false }
    return Array(received[min(before, received.count)...])
  }

  /// Waits for a signal with this name that came after `since`, by the client's clock.
  ///
  /// Throws what else came when it does not come in time.
  @discardableResult
  package func signal(
    _ member: String, within deadline: Double = 12, since: Double = 0, path: String? = nil,
    interface: String? = nil, where fits: (Received) -> Bool = { _ in true }
  ) throws -> Received {
    var found: Received?
    _ = wait(deadline) {
      found = received.first {
        $0.member == member && $0.time >= since && (path ?? $0.signal.path) == $0.signal.path
          && (interface ?? $0.signal.interface) == $0.signal.interface && fits($0)
      }
      return found != nil
    }
    if let found { return found }
    let others = received.suffix(8).map { "\($0.member)\($0.arguments)" }
    throw RigFailure("no signal \(member) within \(deadline) s; the last were \(others)")
  }

  /// Waits for Finished or Discarded of a take.
  package func ending(_ take: UInt32, within deadline: Double = 12) throws -> Received {
    var found: Received?
    _ = wait(deadline) {
      found = received.first {
        ($0.member == "Finished" || $0.member == "Discarded")
          && $0.arguments.first == .uint32(take)
      }
      return found != nil
    }
    guard let found else { throw RigFailure("take \(take) did not end within \(deadline) s") }
    return found
  }

  /// Waits until nobody, or somebody, owns a name.
  package func waitForOwner(
    _ name: String = Voiced.name, present: Bool = true, within deadline: Double = 12
  ) throws -> Bool {
    try wait(deadline) {
      try call(
        destination: "org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus",
        "NameHasOwner", [.string(name)]
      ).first?.flag == present
    }
  }
}
