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
    guard listens, let application = client.sandbox, !application.isEmpty else {
      return work(client)
    }
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
    let process = ProcessFolder(pid: pid)
    var client = ClientName(name: name, pid: pid, process: process.program)
    do {
      client.sandbox = try process.sandbox()
      // Gone meanwhile: the number may be another process's by now.
      client.isKnown = try process.isRunning()
    } catch {
      // Whoever cannot be looked at is asked for a permission that nobody can have.
      client.sandbox = ""
      client.isKnown = false
      client.mayListen = false
      return client
    }
    client.mayListen = client.sandbox == nil
    return client
  }
}
