import Glibc
import VoiceIO
import VoiceTestKit

/// A system bus of the test's own with a logind on it that only knows of sleep and of locking.
final class FakeLogind {
  private static let name = "org.freedesktop.login1"
  private static let path = "/org/freedesktop/login1"
  private static let session = "/org/freedesktop/login1/session/_31"

  private let system: PrivateBus
  private let loop: EventLoop
  private let bus: Bus
  /// What `Inhibit` was asked: what, who, why, mode.
  private(set) var asked: [[String]] = []
  /// Whether the daemon knows which session it belongs to.
  private(set) var isSessionAsked = false
  /// Whether it can tell which session that is.
  var knowsSession = true
  /// The ends of the pipes whose other ends the inhibitors hold.
  private var inhibitors: [Int32] = []

  /// Starts both; the daemon is to be started after this.
  init(_ rig: Rig) throws {
    let address = rig.desktop.environment["DBUS_SYSTEM_BUS_ADDRESS"] ?? ""
    system = try PrivateBus(rig.desktop, address: address, log: "system-bus")
    loop = try EventLoop()
    bus = try Bus(loop: loop, address: .other(address))
    try bus.requestName(Self.name)
    bus.onCall = { [weak self] in self?.answer($0) }
  }

  deinit {
    for inhibitor in inhibitors { close(inhibitor) }
    system.process.end()
  }

  private func answer(_ call: BusCall) {
    switch call.member {
    case "Inhibit":
      var ends: [Int32] = [-1, -1]
      guard pipe(&ends) == 0 else { return }
      asked.append(call.arguments.compactMap(\.text))
      inhibitors.append(ends[0])
      call.reply([.descriptor(ends[1])])
      close(ends[1])
    case "Get":
      isSessionAsked = true
      guard knowsSession else {
        return call.fail(Self.name + ".NoSuchUser", "no user of that kind")
      }
      call.reply([.variant(.structure([.string("1"), .path(Self.session)]))])
    default: call.fail("org.freedesktop.DBus.Error.UnknownMethod", "not known here")
    }
  }

  /// Inhibitors that somebody holds now.
  var held: Int {
    inhibitors.filter { inhibitor in
      var entry = pollfd(fd: inhibitor, events: 0, revents: 0)
      _ = poll(&entry, 1, 0)
      return Int32(entry.revents) & Int32(POLLHUP) == 0
    }.count
  }

  /// Serves until the condition holds; false when it does not in time.
  func serve(_ deadline: Double, until condition: () throws -> Bool) rethrows -> Bool {
    try loop.turn(within: deadline, until: condition)
  }

  func tellSleep(_ isGoing: Bool) {
    bus.emit(
      path: Self.path, interface: Self.name + ".Manager", member: "PrepareForSleep",
      [.boolean(isGoing)])
    bus.flush(atMost: 1)
  }

  func tellLock() {
    bus.emit(path: Self.session, interface: Self.name + ".Session", member: "Lock")
    bus.flush(atMost: 1)
  }
}
