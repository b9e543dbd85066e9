import CPipeWire
import CVoiced

/// What the host can choose from: sources, sinks' monitors, applications that play. [main]
///
/// The list is read anew when its first entry is asked for. Whether a source is muted is asked of the server for each
/// one, so the first answer takes two round trips more than the registry.
final class TargetList {
  private struct Entry {
    let flags: UInt32
    let target: Text
    let name: Text
  }

  private let server: Server
  private var mutes: [MuteWatch] = []
  private var entries: [Entry] = []
  private var asked: UInt64?
  private let target: UnsafeMutablePointer<CChar>
  private let name: UnsafeMutablePointer<CChar>

  private static let longestTarget = 4096
  private static let longestName = Int(VOICED_MAX_TEXT)

  init(_ server: Server) {
    self.server = server
    target = .allocate(capacity: TargetList.longestTarget + 1)
    name = .allocate(capacity: TargetList.longestName + 1)
  }

  deinit {
    target.deallocate()
    name.deallocate()
  }

  /// Gives the connection back; before it goes.
  func release() {
    for mute in mutes { mute.release() }
    mutes = []
  }

  /// 0, -ENOENT past the last one, or -EAGAIN as long as the server has not answered.
  func target(_ index: UInt32, _ out: UnsafeMutablePointer<voiced_target>) -> Int32 {
    if index == 0 {
      guard isKnown() else { return -EAGAIN }
      entries = read()
    }
    guard index < entries.count else { return -ENOENT }
    let entry = entries[Int(index)]
    entry.target.copy(to: target)
    entry.name.copy(to: name)
    out.pointee.flags = entry.flags
    out.pointee.target = UnsafePointer(target)
    out.pointee.name = UnsafePointer(name)
    return 0
  }

  private func isKnown() -> Bool {
    guard server.isQuiet else { return false }
    if watchSources() {
      server.noteChange()
      _ = server.hasSettled()
      return false
    }
    return server.defaults?.isPresent != true || server.defaults?.source != nil || hasWaited()
  }

  /// The default is told by the session manager, which may have none to tell: 100 ms are enough to wait for it.
  private func hasWaited() -> Bool {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    let now = UInt64(time.tv_sec) * 1000 + UInt64(time.tv_nsec) / 1_000_000
    if let asked { return now >= asked + 100 }
    asked = now
    server.alarm.set(milliseconds: 110)
    return false
  }

  /// Asks for the mute of each source not asked for before; true when there were any.
  private func watchSources() -> Bool {
    guard let registry = server.registry else { return false }
    let nodes = server.graph.nodes
    for mute in mutes where !nodes.contains(where: { $0.serial == mute.serial }) { mute.release() }
    mutes.removeAll { mute in !nodes.contains { $0.serial == mute.serial } }
    let unknown = nodes.filter { node in
      node.kind == .source && !mutes.contains { $0.serial == node.serial }
    }
    for node in unknown { mutes.append(MuteWatch(registry, node)) }
    return !unknown.isEmpty
  }

  private func read() -> [Entry] {
    var entries: [Entry] = []
    func add(_ node: Graph.Node, _ flags: UInt32, _ name: Text) {
      let target = node.target
      guard !node.name.isEmpty, target.bytes.count <= TargetList.longestTarget,
        entries.count < VOICED_MAX_TARGETS, !entries.contains(where: { $0.target == target })
      else { return }
      let shown = (name.isEmpty ? target : name.escaped).cut(TargetList.longestName)
      entries.append(Entry(flags: flags, target: target, name: shown))
    }
    for node in server.graph.nodes where node.kind == .source {
      add(node, flags(of: node), node.description)
    }
    for node in server.graph.nodes where node.kind == .sink {
      add(node, flags(of: node), Text("Monitor of ") + node.description)
    }
    for node in server.graph.nodes where node.kind == .playback {
      add(node, 0, node.application.isEmpty ? node.description : node.application)
    }
    return entries
  }

  private func flags(of node: Graph.Node) -> UInt32 {
    var flags: UInt32 = 0
    if node.name == server.defaults?.source { flags |= UInt32(VOICED_TARGET_DEFAULT) }
    if mutes.contains(where: { $0.serial == node.serial && $0.isMuted }) {
      flags |= UInt32(VOICED_TARGET_MUTED)
    }
    return flags
  }
}

extension Text {
  fileprivate func copy(to memory: UnsafeMutablePointer<CChar>) {
    for i in bytes.indices { memory[i] = CChar(bitPattern: bytes[i]) }
    memory[bytes.count] = 0
  }

  /// The text's beginning, of at most that many bytes; well-formed UTF-8 stays so.
  fileprivate func cut(_ length: Int) -> Text {
    guard bytes.count > length else { return self }
    var end = length
    while end > 0, bytes[end] & 0xC0 == 0x80 { end -= 1 }
    return Text(Array(bytes[..<end]))
  }
}
