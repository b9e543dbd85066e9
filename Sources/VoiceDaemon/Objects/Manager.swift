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
  private let shared: Recorder
  private var table = LeaseTable()
  private var monitors: [String: Monitor] = [:]
  private var recorders: [String: Recorder] = [:]
  private var pulses: [String: OwnerPulse] = [:]
  private var lastNumber: UInt32 = 0
  private var isListenersMarked = false
  private var restTimer: LoopTimer?
  /// The values that PropertiesChanged told last, so that only real changes are told.
  private var told: [String: BusValue] = ["Listeners": .dictionaries([])]

  init(services: Services, tree: ObjectTree, shared: Recorder) {
    self.services = services
    self.tree = tree
    self.shared = shared
    services.catalog.onChange = { [weak self] in self?.markChanged("Sources") }
    restTimer = services.loop.timer { [weak self] in self?.rest() }
    wire(shared)
  }

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
    case "OpenTake", "RecoverTake": call.fail(Refusal(.accessDenied))
    case "ForgetTake" where client.sandbox != nil: call.fail(Refusal(.accessDenied))
    case "ForgetTake":
      services.library.remove(call.number(0))
        ? call.reply([]) : call.fail(Refusal(.noSuchTake, "take \(call.number(0))"))
    default: break
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
      client, source: request.source, target: request.target, recording: false)
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
      monitor.whenStarted { error in
        if let error {
          call.fail(Refusal(error, request.target))
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

  // MARK: Sources and takes

  private func getTargets(_ call: BusCall) {
    let id = call.string(0)
    do throws(Refusal) {
      let source = try services.gate.source(id)
      services.sourceHost.targets(of: source, deadline: 1) { outcome in
        let targets = outcome.messages.compactMap { target(in: $0) }
        guard outcome.isSuccess || !targets.isEmpty else {
          let failed = outcome.messages.first { $0.word == "failed" }
          return call.fail(Refusal(.sourceUnavailable, failed?["text"] ?? outcome.end))
        }
        call.reply([.dictionaries(targets)])
      }
    } catch {
      call.fail(error)
    }
  }

  private func openTake(_ call: BusCall) {
    guard let kept = services.library.find(call.number(0)) else {
      return call.fail(Refusal(.noSuchTake, "take \(call.number(0))"))
    }
    let descriptor = Glibc.open(kept.facts.path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else {
      return call.fail(Refusal(.folderUnusable, "\(kept.facts.path) cannot be opened"))
    }
    call.reply([.descriptor(descriptor)])
    Glibc.close(descriptor)
  }

  private func recoverTake(_ call: BusCall) {
    let number = call.number(0)
    do throws(Refusal) {
      let format =
        call.string(1).isEmpty ? shared.defaults.format : try TakeSettings.format(call.string(1))
      guard let kept = services.library.find(number), kept.state != .finished else {
        throw Refusal(.noSuchTake, "take \(number) does not wait to be recovered")
      }
      let recovery = Recovery(kept: kept, format: format, services: services)
      recovery.start { [weak self] outcome in
        switch outcome {
        case .success(let finished):
          self?.emit("TakeRecovered", finishedArguments(finished))
          call.reply([])
        case .failure(let refusal): call.fail(refusal)
        }
      }
    } catch {
      call.fail(error)
    }
  }

  /// Tells of a take that an interruption or an earlier run left behind.
  func tellFound(_ kept: KeptTake) {
    emit("TakeFound", [.uint32(kept.take), .string(kept.state.rawValue)])
  }

  private func emit(_ member: String, _ arguments: [BusValue]) {
    services.bus.emit(
      path: path, interface: WireNames.manager, member: member, arguments)
  }

  // MARK: Properties

  /// What tells of sources waits until they are known.
  func prepare(_ call: BusCall, then: @escaping () -> Void) {
    switch (call.member, call.arguments.last?.text) {
    case ("GetAll", _), ("Get", "Sources"): services.catalog.refresh(then: then)
    case ("GetTargets", let id?): services.withCatalog(id, then)
    case ("OpenMonitor", _):
      let id = call.arguments.first?.entries?["source"]?.text ?? Monitor.Request().source
      services.withCatalog(id, then)
    case ("CreateRecorder", _):
      let id = call.arguments.first?.entries?["Source"]?.text
      services.withCatalog(id ?? services.configuration.source, then)
    default: then()
    }
  }

  func value(of property: String) -> BusValue {
    switch property {
    case "Sources": .dictionaries(sources)
    case "Listeners": .dictionaries(listeners)
    case "Access": .boolean(services.access.isOn)
    case "DaemonVersion": .string(WireNames.daemonVersion)
    default: .uint32(WireNames.version)
    }
  }

  func set(
    _ property: String, to value: BusValue, by client: ClientName
  ) throws(Refusal) {
    guard case .boolean(let on) = value else { return }
    guard client.isPlain else {
      throw Refusal(.accessDenied, "only a program known to be no sandbox's can set it")
    }
    guard on != services.access.isOn else { return }
    // Off is off at once; that it could not be kept for the next start is told afterwards.
    defer {
      markChanged("Access")
      if !services.access.isOn { silence() }
    }
    try services.access.turn(on)
  }

  /// Ends what listens to the user, because the access switch was turned off.
  private func silence() {
    for recorder in sessions where recorder.hearsTheUser {
      recorder.handle(.interruption(.accessOff))
    }
    shared.tellNotice(.accessOff, [:])
    for monitor in monitors.values where monitor.source.flags.contains(.hearsTheUser) {
      monitor.close("access-off")
    }
  }

  /// Ends every lease, because the daemon ends.
  func closeAll(_ reason: String) {
    for monitor in monitors.values { monitor.close(reason) }
  }

  private var sources: [[String: BusValue]] {
    let usable = services.catalog.sources.map { source -> [String: BusValue] in
      [
        "id": .string(source.id), "name": .string(source.name), "plugin": .string(source.plugin),
        "flags": .strings(source.flags.map(\.rawValue).sorted()), "available": .boolean(true),
        "reason": .string(""),
      ]
    }
    let refused = services.catalog.refused.map { refused -> [String: BusValue] in
      [
        "id": .string(refused.id), "name": .string(refused.id), "plugin": .string(refused.plugin),
        "flags": .strings([]), "available": .boolean(false), "reason": .string(refused.reason),
      ]
    }
    return usable + refused
  }

  private var listeners: [[String: BusValue]] {
    let takes = sessions.flatMap(\.listening).map { take in
      listener(
        "take", take.client, application: take.settings.application, reason: "",
        source: take.settings.source, target: take.settings.target, rate: 30)
    }
    let leases = monitors.values.sorted { $0.path < $1.path }.map { monitor in
      listener(
        "monitor", monitor.client, application: monitor.application, reason: monitor.reason,
        source: monitor.source.id, target: monitor.target, rate: UInt32(monitor.rate))
    }
    return takes + leases
  }

  private func listener(
    _ kind: String, _ client: ClientName, application: String, reason: String, source: String,
    target: String, rate: UInt32
  ) -> [String: BusValue] {
    [
      "kind": .string(kind), "process": .string(client.process), "pid": .uint32(client.pid),
      "application": .string(application), "reason": .string(reason), "source": .string(source),
      "target": .string(target), "rate": .uint32(rate),
    ]
  }

  private func markListeners() {
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

  private func markChanged(_ property: String) {
    let value = value(of: property)
    guard told.updateValue(value, forKey: property) != value else { return }
    services.bus.emit(
      path: path, interface: WireNames.properties, member: "PropertiesChanged",
      [
        .string(WireNames.manager), .dictionary([property: value]), .strings([]),
      ])
  }
}

/// A target that a source process listed, as `GetTargets` gives it.
private func target(in message: ControlMessage) -> [String: BusValue]? {
  guard message.word == "target", let target = message["target"] else { return nil }
  return [
    "target": .string(target), "name": .string(message["name"] ?? target),
    "default": .boolean(message["default"] == "1"), "muted": .boolean(message["muted"] == "1"),
  ]
}

extension Monitor.Request {
  /// Reads `OpenMonitor`'s options.
  init(options: [String: BusValue]) throws(Refusal) {
    self.init()
    var reader = OptionReader(options)
    source = try reader.text("source") ?? source
    target = try reader.text("target") ?? target
    rate = try reader.number("rate") ?? rate
    application = try reader.text("application") ?? application
    reason = try reader.text("reason") ?? reason
    try reader.finish()
    guard LevelPace.rates.contains(Int(rate)) else {
      throw Refusal(.invalidValue, "'rate' is 1 to 60 levels a second")
    }
  }
}
