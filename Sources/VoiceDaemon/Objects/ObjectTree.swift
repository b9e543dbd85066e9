import VoiceCore
import VoiceIO

/// Routes calls to objects: checks each against the interface's description first, answers the
/// standard interfaces, and gives the standard errors.
final class ObjectTree {
  /// The standard errors.
  private enum Standard {
    static let error = "org.freedesktop.DBus.Error."
  }

  private let bus: Bus
  private let clients: Clients
  private var objects: [String: any BusObject] = [:]
  private var queues: [String: CallQueue] = [:]

  init(bus: Bus, clients: Clients) {
    self.bus = bus
    self.clients = clients
    // Longer than what is taken, so that it is refused by name.
    bus.longestText = 2 * stringLimit
    bus.onCall = { [weak self] call in
      // No method takes any, and calls may wait.
      call.closeDescriptors()
      self?.route(call)
    }
  }

  func add(_ object: any BusObject) { objects[object.path] = object }
  func remove(_ path: String) {
    objects[path] = nil
    if queues[path]?.isEmpty == true { queues[path] = nil }
  }

  /// Introspection is answered at once, everything else in the order in which it came.
  private func route(_ call: BusCall) {
    let isIntrospect = call.interface == nil && call.member == "Introspect"
    if isIntrospect || call.interface == WireNames.introspectable { return introspect(call) }
    guard objects[call.path] != nil else {
      return call.fail(
        Standard.error + "UnknownObject",
        "There is no object \(call.path); see \(WireNames.rootPath).")
    }
    let queue = queues[call.path] ?? CallQueue()
    queues[call.path] = queue
    queue.add(call, clients: clients) { [weak self] in
      self?.pump(call.path)
    }
  }

  /// Answers the calls of one object that can be answered, in order.
  private func pump(_ path: String) {
    guard let queue = queues[path] else { return }
    queue.pump(
      prepare: { [weak self] call, then in
        guard let object = self?.objects[path] else { return then() }
        object.prepare(call, then: then)
      },
      dispatch: { [weak self] call, client in self?.dispatch(call, by: client) })
    if queue.isEmpty { queues[path] = nil }
  }

  private func dispatch(_ call: BusCall, by client: ClientName) {
    guard let object = objects[call.path] else {
      return call.fail(Standard.error + "UnknownObject", "\(call.path) is gone.")
    }
    if let owner = object.owner, owner != client.name {
      let opener = object.interface.name == WireNames.monitor ? "OpenMonitor" : "CreateRecorder"
      return call.fail(
        Refusal(
          .accessDenied,
          "\(call.path) belongs to another program: \(opener) makes one of your own"))
    }
    switch call.interface {
    case WireNames.properties: properties(call, of: object, by: client)
    case object.interface.name, nil: method(call, of: object, by: client)
    default:
      call.fail(
        Standard.error + "UnknownInterface",
        "\(call.path) has no interface \(call.interface ?? "").")
    }
  }

  private func method(_ call: BusCall, of object: any BusObject, by client: ClientName) {
    guard let method = object.interface.method(call.member) else {
      return call.fail(
        Standard.error + "UnknownMethod",
        "\(object.interface.name) has no method \(call.member).")
    }
    guard method.input == call.signature else {
      return call.fail(
        Standard.error + "InvalidArgs",
        "\(call.member) takes \(signature(method.input)), not \(signature(call.signature)).")
    }
    object.invoke(call, by: client)
  }

  private func signature(_ text: String) -> String { text.isEmpty ? "no arguments" : "'\(text)'" }

  // MARK: Properties

  private func properties(_ call: BusCall, of object: any BusObject, by client: ClientName) {
    switch (call.member, call.signature) {
    case ("Get", "ss"): get(call, of: object)
    case ("GetAll", "s"): getAll(call, of: object)
    case ("Set", "ssv"): set(call, of: object, by: client)
    case ("Get", _), ("GetAll", _), ("Set", _):
      call.fail(
        Standard.error + "InvalidArgs", "\(call.member) does not take \(signature(call.signature))."
      )
    default:
      call.fail(Standard.error + "UnknownMethod", "Properties has no method \(call.member).")
    }
  }

  private func property(
    _ call: BusCall, of object: any BusObject
  ) -> InterfaceDescription.Property? {
    let name = call.string(1)
    guard call.string(0) == object.interface.name || call.string(0).isEmpty else {
      call.fail(
        Standard.error + "UnknownInterface", "\(call.path) has no interface \(call.string(0)).")
      return nil
    }
    guard let property = object.interface.property(name) else {
      call.fail(
        Standard.error + "UnknownProperty", "\(object.interface.name) has no property \(name).")
      return nil
    }
    return property
  }

  private func get(_ call: BusCall, of object: any BusObject) {
    guard let property = property(call, of: object) else { return }
    call.reply([.variant(object.value(of: property.name))])
  }

  private func getAll(_ call: BusCall, of object: any BusObject) {
    guard call.string(0) == object.interface.name || call.string(0).isEmpty else {
      return call.fail(
        Standard.error + "UnknownInterface", "\(call.path) has no interface \(call.string(0)).")
    }
    var values: [String: BusValue] = [:]
    for property in object.interface.properties {
      values[property.name] = object.value(of: property.name)
    }
    call.reply([.dictionary(values)])
  }

  private func set(_ call: BusCall, of object: any BusObject, by client: ClientName) {
    guard let property = property(call, of: object) else { return }
    guard property.isWritable else {
      return call.fail(
        Standard.error + "PropertyReadOnly", "\(property.name) cannot be set.")
    }
    guard case .variant(let value) = call.arguments[2], value.signature == property.type else {
      return call.fail(
        Refusal(.invalidValue, "\(property.name) is of type '\(property.type)'"))
    }
    do throws(Refusal) {
      try object.set(property.name, to: value, by: client)
      call.reply([])
    } catch {
      call.fail(error)
    }
  }

  // MARK: Introspection

  private func introspect(_ call: BusCall) {
    guard call.signature.isEmpty else {
      return call.fail(Standard.error + "InvalidArgs", "Introspect takes no arguments.")
    }
    let below = call.path == "/" ? "/" : call.path + "/"
    var children: Set<String> = []
    for path in objects.keys where path.utf8.starts(with: below.utf8) && path != call.path {
      let child = path.utf8.dropFirst(below.utf8.count).prefix { $0 != UInt8(ascii: "/") }
      children.insert(String(decoding: Array(child), as: UTF8.self))
    }
    guard objects[call.path] != nil || !children.isEmpty else {
      return call.fail(Standard.error + "UnknownObject", "There is no object \(call.path).")
    }
    call.reply([
      .string(
        introspectionDocument(
          interface: objects[call.path]?.interface, children: children.sorted()))
    ])
  }
}
