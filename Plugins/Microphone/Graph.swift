/// What the audio server holds, as far as capture is concerned: a value, kept up to date by `Server`.
struct Graph {
  struct Node {
    enum Kind { case source, sink, playback, other }

    let id: UInt32
    let serial: UInt64
    let name: Text
    let description: Text
    let kind: Kind
    /// `application.name` of the node, else of its client.
    var application: Text
    let client: UInt32

    /// Something that can be a default.
    var isDevice: Bool { kind == .source || kind == .sink }
  }

  struct Port {
    let id: UInt32
    /// Never given twice, unlike the id.
    let serial: UInt64
    let node: UInt32
    /// Position among the node's ports.
    let index: UInt32
    let isOutput: Bool
    /// A copy of what a sink plays, not something that was captured.
    let isMonitor: Bool
  }

  struct Link: Equatable {
    let id: UInt32
    let from: UInt32
    let to: UInt32
    let outputNode: UInt32
    let inputNode: UInt32
  }

  struct Client {
    let id: UInt32
    let application: Text
  }

  private(set) var nodes: [Node] = []
  private(set) var ports: [Port] = []
  private(set) var links: [Link] = []
  private var clients: [Client] = []

  mutating func add(_ node: Node) {
    var node = node
    if node.application.isEmpty, let client = clients.first(where: { $0.id == node.client }) {
      node.application = client.application
    }
    nodes.append(node)
  }

  mutating func add(_ port: Port) { ports.append(port) }
  mutating func add(_ link: Link) { links.append(link) }
  mutating func add(_ client: Client) { clients.append(client) }

  /// Forgets a global; false when it was none of ours to know.
  mutating func remove(_ id: UInt32) -> Bool {
    let before = nodes.count + ports.count + links.count + clients.count
    nodes.removeAll { $0.id == id }
    ports.removeAll { $0.id == id }
    links.removeAll { $0.id == id }
    clients.removeAll { $0.id == id }
    return nodes.count + ports.count + links.count + clients.count < before
  }

  func isDeviceOrClient(_ id: UInt32) -> Bool {
    node(id)?.isDevice == true || clients.contains { $0.id == id }
  }

  func node(_ id: UInt32) -> Node? { nodes.first { $0.id == id } }

  /// The ports that sound can be taken from, in channel order.
  ///
  /// Empty until the session manager has configured the node. What a virtual microphone is fed comes
  /// out of it as a monitor does of a sink.
  func outputs(of node: Node) -> [Port] {
    let monitors = ordered { $0.node == node.id && $0.isOutput && $0.isMonitor }
    if node.kind == .sink { return monitors }
    let outputs = ordered { $0.node == node.id && $0.isOutput && !$0.isMonitor }
    return outputs.isEmpty && node.kind == .source ? monitors : outputs
  }

  /// The ports of our own stream, in channel order.
  func inputs(of node: UInt32) -> [Port] { ordered { $0.node == node && !$0.isOutput } }

  /// The nodes that feed a node, in the order they were linked.
  func peers(of node: UInt32) -> [Node] {
    var peers: [Node] = []
    for link in links where link.inputNode == node {
      guard !peers.contains(where: { $0.id == link.outputNode }) else { continue }
      if let peer = self.node(link.outputNode) { peers.append(peer) }
    }
    return peers
  }

  private func ordered(_ isWanted: (Port) -> Bool) -> [Port] {
    ports.filter(isWanted).sorted { ($0.index, $0.id) < ($1.index, $1.id) }
  }
}
