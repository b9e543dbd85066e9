import CPipeWire

extension Server {
  /// Callbacks that keep the graph and find the default metadata.
  static func registryEvents() -> pw_registry_events {
    var events = pw_registry_events()
    events.version = UInt32(PW_VERSION_REGISTRY_EVENTS)
    events.global = { data, id, _, type, _, properties in
      guard let server = Server.of(data), let type = Text(cString: type), let properties else {
        return
      }
      server.found(id, type, properties)
    }
    events.global_remove = { data, id in Server.of(data)?.lost(id) }
    return events
  }

  private func found(_ id: UInt32, _ type: Text, _ properties: UnsafePointer<spa_dict>) {
    if type == Text("PipeWire:Interface:Node") {
      let node = Graph.Node(id, properties)
      graph.add(node)
      if node.isDevice { doubtDefaults() }
    } else if type == Text("PipeWire:Interface:Port") {
      guard let port = Graph.Port(id, properties) else { return }
      graph.add(port)
    } else if type == Text("PipeWire:Interface:Link") {
      guard let link = Graph.Link(id, properties) else { return }
      graph.add(link)
    } else if type == Text("PipeWire:Interface:Client") {
      let name = properties.text("application.name") ?? Text()
      graph.add(Graph.Client(id: id, application: name))
      doubtDefaults()
    } else if type == Text("PipeWire:Interface:Metadata") {
      guard properties.text("metadata.name") == Text("default") else { return }
      found(defaults: id)
      doubtDefaults()
    } else {
      return
    }
    noteChange()
  }
}

extension Graph.Node {
  init(_ id: UInt32, _ properties: UnsafePointer<spa_dict>) {
    let name = properties.text("node.name") ?? Text()
    let kind = Kind(mediaClass: properties.text("media.class") ?? Text())
    self.init(
      id: id,
      serial: properties.text("object.serial")?.number ?? UInt64(id),
      name: name,
      description: properties.text("node.description") ?? properties.text("node.nick") ?? name,
      kind: kind,
      application: properties.text("application.name") ?? Text(),
      client: properties.number("client.id") ?? UInt32.max)
  }
}

extension Graph.Node.Kind {
  init(mediaClass: Text) {
    if mediaClass.hasPrefix(Text("Audio/Source")) || mediaClass == Text("Audio/Duplex") {
      self = .source
    } else if mediaClass.hasPrefix(Text("Audio/Sink")) {
      self = .sink
    } else if mediaClass == Text("Stream/Output/Audio") {
      self = .playback
    } else {
      self = .other
    }
  }
}

extension Graph.Port {
  /// Nil for a port that carries no sound (MIDI, controls).
  init?(_ id: UInt32, _ properties: UnsafePointer<spa_dict>) {
    guard let node = properties.number("node.id"),
      (properties.text("format.dsp") ?? Text("audio")).isSound
    else { return nil }
    self.init(
      id: id, serial: properties.text("object.serial")?.number ?? UInt64(id), node: node,
      index: properties.number("port.id") ?? id,
      isOutput: properties.text("port.direction") == Text("out"),
      isMonitor: properties.isTrue("port.monitor"))
  }
}

extension Graph.Link {
  init?(_ id: UInt32, _ properties: UnsafePointer<spa_dict>) {
    guard let from = properties.number("link.output.port"),
      let to = properties.number("link.input.port"),
      let outputNode = properties.number("link.output.node"),
      let inputNode = properties.number("link.input.node")
    else { return nil }
    self.init(id: id, from: from, to: to, outputNode: outputNode, inputNode: inputNode)
  }
}

extension Text {
  /// Whether a port format names sound: "32 bit float mono audio".
  fileprivate var isSound: Bool {
    let word = Text("audio").bytes
    return bytes.count >= word.count && bytes.suffix(word.count).elementsEqual(word)
  }
}
