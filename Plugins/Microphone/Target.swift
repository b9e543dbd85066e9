/// What a capture is pointed at, and which nodes of the graph that is now.
enum Target: Equatable {
  /// Whatever source is the user's default; never a sink's monitor.
  case followsDefault
  /// One source, never replaced by another.
  case source(Text)
  /// What a sink plays.
  case monitor(Text)
  /// What one application plays.
  case application(Text)

  static let monitorPrefix = Text("monitor:")
  static let applicationPrefix = Text("app:")

  /// Reads a target as it is written in settings; nil when a prefix stands alone.
  init?(_ text: Text) {
    if text.isEmpty || text == Text("default") {
      self = .followsDefault
    } else if text.hasPrefix(Target.monitorPrefix) {
      self = .monitor(text.dropping(Target.monitorPrefix))
    } else if text.hasPrefix(Target.applicationPrefix) {
      self = .application(text.dropping(Target.applicationPrefix))
    } else {
      self = .source(text)
    }
    switch self {
    case .monitor(let name), .application(let name): if name.isEmpty { return nil }
    default: break
    }
  }

  /// The nodes to be linked; an application may have several streams, everything else is one node.
  ///
  /// - Parameter standard: name of the default source, as the session manager tells it.
  func nodes(in graph: Graph, default standard: Text?) -> [Graph.Node] {
    switch self {
    case .followsDefault:
      guard let standard else { return [] }
      return first(in: graph) { $0.kind == .source && $0.name == standard }
    case .source(let name):
      return first(in: graph) { $0.kind == .source && $0.name.isMeant(by: name) }
    case .monitor(let name):
      return first(in: graph) { $0.kind == .sink && $0.name.isMeant(by: name) }
    case .application(let name):
      return graph.nodes.filter {
        $0.kind == .playback && ($0.application.isMeant(by: name) || $0.name.isMeant(by: name))
      }
    }
  }

  private func first(in graph: Graph, where isMeant: (Graph.Node) -> Bool) -> [Graph.Node] {
    guard let node = graph.nodes.first(where: isMeant) else { return [] }
    return [node]
  }
}

extension Graph.Node {
  /// How this node is written as a target.
  var target: Text {
    switch kind {
    case .sink: return Target.monitorPrefix + name.escaped
    case .playback:
      return Target.applicationPrefix + (application.isEmpty ? name : application).escaped
    case .source, .other: return name.escaped
    }
  }
}
