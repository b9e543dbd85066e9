import Glibc
import VoiceCore
import VoiceIO

/// The daemon's root object: sources, leases, private recorders and kept takes.
final class Manager: BusObject {
  let path = WireNames.rootPath
  var owner: String? { nil }
  var interface: InterfaceDescription { .manager }

  let services: Services
  private let tree: ObjectTree
  let shared: Recorder
  private var table = LeaseTable()
  private(set) var monitors: [String: Monitor] = [:]
  private var recorders: [String: Recorder] = [:]
  private var pulses: [String: OwnerPulse] = [:]
  /// Calls that wait for the targets of a source, by its id.
  var targetCalls: [String: [BusCall]] = [:]
  private var lastNumber: UInt32 = 0
  private var isListenersMarked = false
  private var restTimer: LoopTimer?
  /// The values that PropertiesChanged told last, so that only real changes are told.
  private var told: [String: BusValue]

  init(services: Services, tree: ObjectTree, shared: Recorder) {
    self.services = services
    self.tree = tree
    self.shared = shared
    told = ["Listeners": .dictionaries([]), "Access": .boolean(services.access.isOn)]
    services.catalog.onChange = { [weak self] in self?.markChanged("Sources") }
    restTimer = services.loop.timer { [weak self] in self?.rest() }
    wire(shared)
  }

  /// Whether every take's sound is on the disk, also of recorders whose owner has left.
  var isClosed: Bool { (sessions + leaving).allSatisfy(\.isClosed) }

  /// All sessions, the shared one first.
  var sessions: [Recorder] { [shared] + recorders.values }

  // MARK: Methods

  func invoke(_ call: BusCall, by client: ClientName) {
    switch call.member {
    case "OpenMonitor": openMonitor(call, by: client)
    case "CreateRecorder": createRecorder(call, by: client)
    case "RemoveRecorder": removeRecorder(call, by: client)
    case "GetTargets": getTargets(call)
    case "GetTakes": call.reply([.dictionaries(services.library.list().map(\.listed))])
    case "OpenTake" where client.sandbox == nil || client.mayListen: openTake(call)
    case "RecoverTake" where client.sandbox == nil: recoverTake(call)
    case "OpenTake": call.fail(Gate.portal)
    case "RecoverTake": call.fail(Refusal(.accessDenied))
    case "ForgetTake" where client.sandbox != nil: call.fail(Refusal(.accessDenied))
    case "ForgetTake": forgetTake(call)
    default: break
    }
  }

  private func forgetTake(_ call: BusCall) {
    let take = call.number(0)
    do throws(Refusal) {
      guard try services.library.remove(take) else { throw Refusal(.noSuchTake, "take \(take)") }
      call.reply([])
    } catch {
      call.fail(error)
    }
  }

  // MARK: Leases

  private func openMonitor(_ call: BusCall, by client: ClientName) {
    do throws(Refusal) {
      try open(Monitor.Request(options: call.options(0)), call, by: client)
    } catch {
      if error.error == .accessOff { shared.tellNotice(.accessOff, [:]) }
      call.fail(error)
    }
  }

  private func open(
    _ request: Monitor.Request, _ call: BusCall, by client: ClientName
  ) throws(Refusal) {
    let source = try services.gate.admit(
      client, source: request.source, target: request.target, playback: request.playback,
      recording: false)
    lastNumber += 1
    let path = WireNames.monitorPath + "/\(lastNumber)"
    try table.admitLease(path: path, owner: client.name)
    let pulse =
      pulses[client.name] ?? OwnerPulse(owner: client.name, bus: services.bus, loop: services.loop)
    let monitor = Monitor(
      path: path, client: client, source: source, request: request, pulse: pulse,
      services: services
    ) { [weak self] in self?.closed($0) }
    do {
      try monitor.open()
    } catch {
      table.remove(path: path)
      throw Refusal(.sourceFailed, "\(error)")
    }
    pulses[client.name] = pulse
    monitors[path] = monitor
    tree.add(monitor)
    services.watches.watch(client.name, for: path) { [weak self] in
      self?.monitors[path]?.close("closed")
    }
    markListeners()
    // A file says soon whether it can be played; what waits for hardware is answered at once.
    if source.flags.contains(.hearsTheUser) || source.flags.contains(.levelsOnly) {
      call.reply([.path(path)])
    } else {
      monitor.whenStarted { refusal in
        if let refusal {
          call.fail(refusal.detail.isEmpty ? Refusal(refusal.error, request.target) : refusal)
        } else {
          call.reply([.path(path)])
        }
      }
    }
  }

  private func closed(_ monitor: Monitor) {
    monitors[monitor.path] = nil
    table.remove(path: monitor.path)
    tree.remove(monitor.path)
    services.watches.forget(monitor.client.name, for: monitor.path)
    if !monitors.values.contains(where: { $0.client.name == monitor.client.name }) {
      pulses[monitor.client.name] = nil
    }
    markListeners()
  }

  // MARK: Private recorders

  private func createRecorder(_ call: BusCall, by client: ClientName) {
    do throws(Refusal) {
      var settings = TakeSettings(services.configuration)
      // A target belongs to its source: another source begins with its own default.
      if call.options(0)["Source"] != nil { settings.target = "" }
      for (property, value) in call.options(0).sorted(by: { $0.key < $1.key }) {
        settings = try settings.setting(property, to: value)
      }
      try settings.check()
      if ["Source", "Target"].contains(where: { call.options(0)[$0] != nil }) {
        try services.gate.allow(client, source: settings.source, target: settings.target)
      }
      _ = try services.gate.source(settings.source)
      lastNumber += 1
      let path = WireNames.recorderPath + "/\(lastNumber)"
      try table.admitRecorder(path: path, owner: client.name)
      let recorder = Recorder(path: path, owner: client.name, services: services)
      recorder.defaults = settings
      recorders[path] = recorder
      wire(recorder)
      tree.add(recorder)
      services.watches.watch(client.name, for: path) { [weak self] in self?.remove(path) }
      call.reply([.path(path)])
    } catch {
      call.fail(error)
    }
  }

  private func removeRecorder(_ call: BusCall, by client: ClientName) {
    let path = call.string(0)
    guard let recorder = recorders[path], recorder.owner == client.name else {
      return call.fail(Refusal(.invalidValue, "\(path) is no recorder of this program"))
    }
    remove(path)
    call.reply([])
  }

  private func remove(_ path: String) {
    guard let recorder = recorders.removeValue(forKey: path) else { return }
    table.remove(path: path)
    tree.remove(path)
    if let owner = recorder.owner { services.watches.forget(owner, for: path) }
    recorder.close()
    // Its takes may still be writing; the recorder stays until they have ended.
    leaving.append(recorder)
    leaving.removeAll { $0.isQuiet }
  }

  private var leaving: [Recorder] = []

  private func wire(_ recorder: Recorder) {
    recorder.onListeners = { [weak self] in self?.markListeners() }
    recorder.onAside = { [weak self] in self?.tellFound($0) }
  }

  /// Tells of a take that an interruption or an earlier run left behind.
  func tellFound(_ kept: KeptTake) {
    emit("TakeFound", [.uint32(kept.take), .string(kept.state.rawValue)])
  }

  func emit(_ member: String, _ arguments: [BusValue]) {
    services.bus.emit(
      path: path, interface: WireNames.manager, member: member, arguments)
  }

  func markListeners() {
    guard !isListenersMarked else { return }
    isListenersMarked = true
    services.loop.later { [weak self] in
      guard let self else { return }
      isListenersMarked = false
      markChanged("Listeners")
      restTimer?.start(after: 1)
    }
  }

  /// Gives back what a take or lease needed, once there is none.
  private func rest() {
    let isAtRest = monitors.isEmpty && sessions.allSatisfy { $0.isQuiet }
    if isAtRest { ResidentMemory.trim() }
  }

  func markChanged(_ property: String) {
    let value = value(of: property)
    guard told.updateValue(value, forKey: property) != value else { return }
    services.bus.emit(
      path: path, interface: WireNames.properties, member: "PropertiesChanged",
      [
        .string(WireNames.manager), .dictionary([property: value]), .strings([]),
      ])
  }
}
