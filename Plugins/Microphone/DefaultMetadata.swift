import CPipeWire

/// The session manager's "default" metadata: which source is the default, and who asked to move which stream. [main]
final class DefaultMetadata {
  let id: UInt32
  /// Name of the default source.
  ///
  /// Stays when the session manager leaves, until the next one speaks.
  private(set) var source: Text?

  private struct Move {
    let node: UInt32
    let target: Text
  }

  private var moves: [Move] = []
  private var proxy: OpaquePointer?
  private var listener: Listener<pw_metadata_events>?
  private let onChange: () -> Void

  /// - Parameter source: the default that is valid until this object tells its own.
  init(
    _ registry: OpaquePointer, _ id: UInt32, until source: Text?, onChange: @escaping () -> Void
  ) {
    self.id = id
    self.source = source
    self.onChange = onChange
    guard
      let bound = pw_registry_bind(
        registry, id, "PipeWire:Interface:Metadata", UInt32(PW_VERSION_METADATA), 0)
    else { return }
    var events = pw_metadata_events()
    events.version = UInt32(PW_VERSION_METADATA_EVENTS)
    events.property = { data, subject, key, _, value in
      guard let data else { return 0 }
      Unmanaged<DefaultMetadata>.fromOpaque(data).takeUnretainedValue()
        .heard(subject, Text(cString: key), Text(cString: value))
      return 0
    }
    let listener = Listener(events)
    self.listener = listener
    proxy = OpaquePointer(bound)
    _ = voiced_metadata_add_listener(
      bound, listener.hook, listener.events, Unmanaged.passUnretained(self).toOpaque())
  }

  var isPresent: Bool { proxy != nil }

  /// Stops listening; what was heard stays.
  func release() {
    listener?.remove()
    listener = nil
    if let proxy { pw_proxy_destroy(proxy) }
    proxy = nil
  }

  /// Where a person moved the stream of that node to (a name or an `object.serial`), if anywhere.
  func move(of node: UInt32) -> Text? { moves.first { $0.node == node }?.target }

  /// A node is gone, and its id may be another's; the server tells no end of what was kept for it.
  func forget(_ node: UInt32) { moves.removeAll { $0.node == node } }

  private func heard(_ subject: UInt32, _ key: Text?, _ value: Text?) {
    if subject == 0, key == Text("default.audio.source") {
      source = value.flatMap { Text(nameInJSON: $0) }
    } else if key == nil || key == Text("target.object") {
      moves.removeAll { $0.node == subject }
      if let value, value != Text("-1") { moves.append(Move(node: subject, target: value)) }
    } else {
      return
    }
    onChange()
  }
}

extension Text {
  /// The string under "name" in a small JSON object, as in `{ "name": "alsa_input.usb" }`.
  fileprivate init?(nameInJSON json: Text) {
    var strings: [Text] = []
    var open: [UInt8]?
    var isEscaped = false
    for byte in json.bytes {
      guard var string = open else {
        if byte == 34 { open = [] }
        continue
      }
      if isEscaped || (byte != 34 && byte != 92) {
        string.append(byte)
        isEscaped = false
        open = string
      } else if byte == 92 {
        isEscaped = true
      } else {
        strings.append(Text(string))
        open = nil
      }
    }
    guard let key = strings.firstIndex(of: Text("name")), key + 1 < strings.count else {
      return nil
    }
    self = strings[key + 1]
  }
}
