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

  /// Runs `work` with the caller's identity, after the work of its earlier calls; the bus answers
  /// soon, and when it cannot, the caller is nobody.
  func identify(_ name: String, then work: @escaping (ClientName) -> Void) {
    if let client = known[name] { return work(client) }
    waiting[name, default: []].append(work)
    guard waiting[name]?.count == 1 else { return }
    bus.processID(of: name) { [weak self] pid in
      guard let self else { return }
      var client = identity(of: name, pid: pid)
      guard let application = client.sandbox else {
        remember(client)
        return serve(client)
      }
      // A permission can be taken back at any time, so a sandboxed caller is asked about each time.
      permission.ask(application) { [weak self] isAllowed in
        client.mayListen = isAllowed
        self?.serve(client)
      }
    }
  }

  private func serve(_ client: ClientName) {
    for work in waiting.removeValue(forKey: client.name) ?? [] { work(client) }
  }

  private func remember(_ client: ClientName) {
    known[client.name] = client
    order.append(client.name)
    if order.count > Self.limit { known[order.removeFirst()] = nil }
  }

  private func identity(of name: String, pid: UInt32?) -> ClientName {
    guard let pid, pid > 0 else { return ClientName(name: name) }
    return ClientName(
      name: name, pid: pid, process: firstLine("/proc/\(pid)/comm"), sandbox: sandbox(of: pid))
  }

  /// The sandboxed application a process belongs to, found as the portals do: by the process's own
  /// root folder for flatpak, by its security label for snap.
  private func sandbox(of pid: UInt32) -> String? {
    if let info = smallText("/proc/\(pid)/root/.flatpak-info") {
      for line in info.split(separator: "\n") where line.utf8.starts(with: "name=".utf8) {
        return String(line.dropFirst(5))
      }
      return "flatpak"
    }
    let label = firstLine("/proc/\(pid)/attr/current")
    guard label.utf8.starts(with: "snap.".utf8) else { return nil }
    return String(label.split(whereSeparator: { $0 == " " || $0 == "\0" }).first ?? "snap")
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
