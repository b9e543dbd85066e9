import Foundation
import VoiceIO

/// A PipeWire and a WirePlumber of a test's own, without any device.
package final class PrivateAudio {
  package let desktop: PrivateDesktop
  package private(set) var pipewire: RigProcess?
  package private(set) var wireplumber: RigProcess?
  /// Nothing is to be learnt of it: server or policy was stopped.
  private var isStalled = false

  /// Starts both, unless told not to, and returns when the session policy runs, about 80 ms.
  package init(_ desktop: PrivateDesktop, quantum: Int = 1024, isStarted: Bool = true) throws {
    self.desktop = desktop
    if isStarted { try start(quantum: quantum) }
  }

  deinit { end() }

  package func start(quantum: Int = 1024) throws {
    try startServer()
    try startPolicy(quantum: quantum)
  }

  /// Starts PipeWire alone and returns when it answers.
  package func startServer() throws {
    pipewire = try RigProcess(
      ChildCommand(path: "pipewire", environment: desktop.environment),
      log: desktop.log("pipewire"))
    guard try waitUntil(10, { try tool("pw-cli", "ls", "Core").isSuccess }) else {
      throw RigFailure("pipewire did not start: \(desktop.logText("pipewire"))")
    }
  }

  /// Starts WirePlumber and returns when its policy runs.
  ///
  /// The quantum is pinned: when it changes, 0.3.65 mutes a stream that feeds for a while.
  package func startPolicy(quantum: Int = 1024) throws {
    wireplumber = try RigProcess(
      ChildCommand(path: "wireplumber", environment: desktop.environment),
      log: desktop.log("wireplumber"))
    // Its second client is there once the policy scripts run.
    let isReady = try waitUntil(10) { try tool("pw-cli", "ls", "Client").text.contains("export") }
    guard isReady else {
      throw RigFailure("wireplumber did not start: \(desktop.logText("wireplumber"))")
    }
    _ = try tool("pw-metadata", "-n", "settings", "0", "clock.force-quantum", "\(quantum)")
  }

  /// Kills the session policy alone, as a crash of it does.
  package func killPolicy() {
    isStalled = false
    wireplumber?.end(SIGKILL)
    wireplumber = nil
  }

  /// Stops the session policy where it is: it answers nothing until `resumePolicy`.
  package func stallPolicy() {
    wireplumber?.signal(SIGSTOP)
    isStalled = true
  }

  package func resumePolicy() {
    wireplumber?.signal(SIGCONT)
    isStalled = false
  }

  /// Stops the server where it is: it answers nothing until `resume`.
  package func stall() {
    pipewire?.signal(SIGSTOP)
    isStalled = true
  }

  package func resume() {
    pipewire?.signal(SIGCONT)
    isStalled = false
  }

  /// Ends both, policy first; with SIGKILL it is a crash of the server.
  package func end(_ signal: Int32 = SIGTERM) {
    isStalled = false
    wireplumber?.end(signal)
    pipewire?.end(signal)
    wireplumber = nil
    pipewire = nil
  }

  /// Runs one of PipeWire's tools against this server.
  package func tool(_ path: String, _ arguments: String...) throws -> ToolResult {
    try runTool(path, arguments, environment: desktop.environment, timeout: 5)
  }

  /// One object of the graph, as `pw-dump` tells it.
  package struct Entry {
    package let id: Int
    /// The last part of its type: `Node`, `Link`, `Client`, `Metadata`.
    package let type: String
    /// Its properties as texts.
    package let properties: [String: String]
    /// Ids of the nodes that a link joins.
    package let link: (from: Int, to: Int)?
    /// Values of a metadata object: names are taken out of their JSON.
    package let metadata: [String: String]
  }

  package func graph() throws -> [Entry] {
    // Names may hold bytes that are no UTF-8, which it prints as they are. A busy machine's session
    // manager can be too slow for one dump, hardly for three.
    for _ in 0..<3 {
      let dump = Data(try tool("pw-dump").text.utf8)
      if let list = try? JSONSerialization.jsonObject(with: dump) as? [[String: Any]] {
        return list.compactMap { Self.entry($0) }
      }
      if pipewire?.isRunning != true || isStalled { return [] }
    }
    throw RigFailure("pw-dump tells nothing of a server that runs")
  }

  private static func entry(_ object: [String: Any]) -> Entry? {
    guard let id = object["id"] as? Int, let type = object["type"] as? String else { return nil }
    let info = object["info"] as? [String: Any]
    let properties = (info?["props"] ?? object["props"]) as? [String: Any] ?? [:]
    var link: (from: Int, to: Int)?
    if let from = info?["output-node-id"] as? Int, let to = info?["input-node-id"] as? Int {
      link = (from, to)
    }
    var metadata: [String: String] = [:]
    for item in object["metadata"] as? [[String: Any]] ?? [] {
      guard let key = item["key"] as? String, let value = item["value"] else { continue }
      metadata[key] = ((value as? [String: Any])?["name"] as? String) ?? "\(value)"
    }
    return Entry(
      id: id, type: type.split(separator: ":").last.map(String.init) ?? type,
      properties: properties.mapValues { text($0) }, link: link, metadata: metadata)
  }

  /// A property as the server has it: `true`, where JSON's reader says 1.
  private static func text(_ value: Any) -> String {
    if let number = value as? NSNumber, String(cString: number.objCType) == "c" {
      return number.boolValue ? "true" : "false"
    }
    return "\(value)"
  }

  package func node(named name: String) throws -> Entry? {
    try graph().first { $0.type == "Node" && $0.properties["node.name"] == name }
  }

  /// Name of the source that the policy has made the default.
  package func defaultSource() throws -> String? {
    try graph().first { $0.properties["metadata.name"] == "default" }?
      .metadata["default.audio.source"]
  }

  /// Makes a node the default source, as a user does, and waits until it is.
  package func setDefaultSource(_ name: String) throws {
    guard let node = try node(named: name) else { throw RigFailure("there is no node \(name)") }
    _ = try tool("wpctl", "set-default", "\(node.id)")
    guard try waitUntil(2, { try defaultSource() == name }) else {
      throw RigFailure("\(name) did not become the default source")
    }
  }

  /// Nodes that belong to these processes.
  package func nodes(of pids: [Int32]) throws -> [Entry] { Self.nodes(of: pids, in: try graph()) }

  private static func nodes(of pids: [Int32], in graph: [Entry]) -> [Entry] {
    let clients = Set(
      graph.filter {
        $0.type == "Client"
          && $0.properties["pipewire.sec.pid"].flatMap { Int32($0) }.map(pids.contains) == true
      }.map { "\($0.id)" })
    return graph.filter { $0.type == "Node" && clients.contains($0.properties["client.id"] ?? "") }
  }

  /// Names of the nodes linked into nodes of these processes.
  package func sources(of pids: [Int32]) throws -> Set<String> {
    let graph = try graph()
    let nodes = Set(Self.nodes(of: pids, in: graph).map(\.id))
    let feeding = Set(graph.compactMap { $0.link }.filter { nodes.contains($0.to) }.map(\.from))
    return Set(graph.filter { feeding.contains($0.id) }.compactMap { $0.properties["node.name"] })
  }
}
