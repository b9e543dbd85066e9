import VoiceCore
import VoiceIO

/// The properties, and what setting the access switch does.
extension Manager {
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
    let before = services.access.isOn
    // Off is off at once; that it could not be kept for the next start is told afterwards.
    defer {
      markChanged("Access")
      if before, !services.access.isOn { silence() }
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
}
