import VoiceCore
import VoiceIO

/// Follows the shared recorder through its signals, and through restarts of the daemon.
///
/// The first event is a snapshot, or `offline`; nothing is polled. It does not attach to the
/// session, so that its end changes nothing.
final class RecorderFollower {
  private let bus: Bus
  private let onEvent: (RecorderEvent) -> Void
  private var isOnline: Bool?
  /// Counts the daemons that went, so that no answer of one is taken for the next one's.
  private var generation = 0
  private var isAsking = false

  init(_ daemon: Daemon, onEvent: @escaping (RecorderEvent) -> Void) {
    bus = daemon.bus
    self.onEvent = onEvent
    let recorder = Daemon.recorder
    bus.subscribe(
      sender: Daemon.name, path: recorder.path, interface: recorder.name, member: nil
    ) { [weak self] in self?.receive($0) }
    bus.subscribe(
      sender: Daemon.name, path: recorder.path, interface: WireNames.properties,
      member: "PropertiesChanged", arg0: recorder.name
    ) { [weak self] in self?.receive($0) }
    bus.subscribe(
      sender: "org.freedesktop.DBus", path: "/org/freedesktop/DBus",
      interface: "org.freedesktop.DBus", member: "NameOwnerChanged", arg0: Daemon.name
    ) { [weak self] in self?.ownerChanged($0) }
  }

  /// Asks for the present state; the bus starts the daemon when it can.
  func start() { ask() }

  /// Asks for the bars of the running take from this one on, 20 a second.
  func peaks(from first: Int, then: @escaping ([Double]) -> Void) {
    bus.call(
      destination: Daemon.name, path: Daemon.recorder.path, interface: Daemon.recorder.name,
      member: "GetPeaks", [.uint32(UInt32(clamping: first))]
    ) { result in
      guard case .success(let values) = result else { return }
      then((values.first?.items ?? []).compactMap(\.number))
    }
  }

  private func ownerChanged(_ signal: BusSignal) {
    if signal.arguments.count == 3, signal.arguments[2].text != "" {
      ask()
    } else {
      generation += 1
      isAsking = false
      goOffline()
    }
  }

  /// Tells that the daemon is gone, once.
  func goOffline() {
    guard isOnline != false else { return }
    isOnline = false
    onEvent(.offline)
  }

  private func ask() {
    guard !isAsking else { return }
    isAsking = true
    let asked = generation
    // The recorder last: what it tells after that answer comes after the snapshot.
    getAll(Daemon.manager) { [weak self] manager in
      self?.getAll(Daemon.recorder) { [weak self] recorder in
        guard let self else { return }
        guard asked == generation else { return }
        isAsking = false
        guard let recorder, let manager else { return goOffline() }
        isOnline = true
        onEvent(.snapshot(RecorderState(recorder, manager: manager)))
      }
    }
  }

  private func getAll(
    _ interface: Daemon.Interface, then: @escaping ([String: BusValue]?) -> Void
  ) {
    bus.call(
      destination: Daemon.name, path: interface.path, interface: WireNames.properties,
      member: "GetAll", [.string(interface.name)], timeout: Daemon.deadline
    ) { result in
      then((try? result.get())?.first?.entries)
    }
  }

  private func receive(_ signal: BusSignal) {
    // What comes before the snapshot is part of it.
    guard isOnline == true, let event = RecorderEvent(signal) else { return }
    onEvent(event)
  }
}
