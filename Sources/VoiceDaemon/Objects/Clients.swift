import Glibc
import VoiceCore
import VoiceIO

/// Knows who calls: finds out once a caller, and keeps its later calls in order meanwhile.
///
/// Unique names are never used again on a bus, so an answer stays true; the oldest are forgotten.
final class Clients {
  /// Callers remembered; one costs some 200 bytes.
  private static let limit = 256

  private let bus: Bus
  private let permission: MicrophonePermission
  private var known: [String: ClientName] = [:]
  private var order: [String] = []
  private var waiting: [String: [(ClientName) -> Void]] = [:]

  init(bus: Bus) {
    self.bus = bus
    permission = MicrophonePermission(bus: bus)
  }

  /// Runs `work` with the caller's identity, after the work of its earlier calls.
  ///
  /// The bus answers soon; of a caller that is gone by then nothing is known. With `listens`, the
  /// user's permission is asked for when the caller is sandboxed: it can be taken back at any time.
  func identify(
    _ name: String, listens: Bool, then work: @escaping (ClientName) -> Void
  ) {
    if let client = known[name] { return permit(client, listens: listens, then: work) }
    waiting[name, default: []].append { [weak self] in
      self?.permit($0, listens: listens, then: work)
    }
    guard waiting[name]?.count == 1 else { return }
    bus.processID(of: name) { [weak self] pid in
      guard let self else { return }
      let client = identity(of: name, pid: pid)
      if client.isKnown { remember(client) }
      for work in waiting.removeValue(forKey: name) ?? [] { work(client) }
    }
  }

  private func permit(
    _ client: ClientName, listens: Bool, then work: @escaping (ClientName) -> Void
  ) {
    guard listens, let application = client.sandbox else { return work(client) }
    permission.ask(application) { isAllowed in
      var client = client
      client.mayListen = isAllowed
      work(client)
    }
  }

  private func remember(_ client: ClientName) {
    known[client.name] = client
    order.append(client.name)
    if order.count > Self.limit { known[order.removeFirst()] = nil }
  }

  private func identity(of name: String, pid: UInt32?) -> ClientName {
    guard let pid, pid > 0 else { return ClientName(name: name, isKnown: false) }
    var client = ClientName(name: name, pid: pid, process: firstLine("/proc/\(pid)/comm"))
    client.sandbox = sandbox(of: pid)
    client.mayListen = client.sandbox == nil
    // Gone meanwhile: the number may be another process's by now.
    client.isKnown = access("/proc/\(pid)/stat", F_OK) == 0
    return client
  }

  /// The sandboxed application a process belongs to, found as the portals do.
  ///
  /// A flatpak's process has a file in its own root folder; a snap's is in a control group of its
  /// name, and the portals know it as "snap.NAME".
  private func sandbox(of pid: UInt32) -> String? {
    if let info = smallText("/proc/\(pid)/root/.flatpak-info") {
      for line in info.split(separator: "\n") where line.utf8.starts(with: "name=".utf8) {
        return String(line.dropFirst(5))
      }
      return "flatpak"
    }
    let groups = smallText("/proc/\(pid)/cgroup") ?? ""
    for part in groups.split(whereSeparator: { $0 == "/" || $0 == "\n" }) {
      let names = part.split(separator: ".")
      if names.count > 2, names[0] == "snap" { return "snap.\(names[1])" }
    }
    return nil
  }

  private func firstLine(_ file: String) -> String {
    String(smallText(file)?.split(separator: "\n").first ?? "")
  }

  private func smallText(_ file: String) -> String? {
    let descriptor = open(file, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var bytes = [UInt8](repeating: 0, count: 4096)
    let count = read(descriptor, &bytes, bytes.count)
    return count >= 0 ? String(decoding: bytes.prefix(count), as: UTF8.self) : nil
  }
}
