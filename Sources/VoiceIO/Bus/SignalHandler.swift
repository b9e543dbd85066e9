import CDBus

/// One subscription: what it wants, and who hears it.
final class SignalHandler {
  private let sender: String?
  private let path: String?
  private let interface: String?
  private let member: String?
  private let argument: String?
  private var handler: ((BusSignal) -> Void)?

  init(
    sender: String?, path: String?, interface: String?, member: String?, arg0: String?,
    handler: @escaping (BusSignal) -> Void
  ) {
    self.sender = sender
    self.path = path
    self.interface = interface
    self.member = member
    argument = arg0
    self.handler = handler
  }

  /// The bus's name for it; an apostrophe ends the quotes, is escaped, and begins them again.
  var rule: String {
    let parts = [
      ("sender", sender), ("path", path), ("interface", interface), ("member", member),
      ("arg0", argument),
    ]
    return parts.reduce(into: "type='signal'") { rule, part in
      guard let value = part.1 else { return }
      let quoted = value.split(separator: "'", omittingEmptySubsequences: false)
        .joined(separator: "'\\''")
      rule += ",\(part.0)='\(quoted)'"
    }
  }

  /// Judges what the header tells.
  ///
  /// A signal may come for another subscription, or unasked, to this connection alone: so the match
  /// is made again here. Only a well-known sender is left to the bus.
  func mayWant(_ header: BusHeader) -> Bool {
    if let sender, sender != header.sender,
      sender.utf8.first == UInt8(ascii: ":") || sender == BusDriver.name
    {
      return false
    }
    return (path ?? header.path) == header.path
      && (interface ?? header.interface) == header.interface
      && (member ?? header.member) == header.member
  }

  /// Judges the rest, which needs the arguments; false once cancelled.
  func wants(_ signal: BusSignal) -> Bool {
    guard handler != nil else { return false }
    guard let argument else { return true }
    return signal.arguments.first == .string(argument)
  }

  func handle(_ signal: BusSignal) { handler?(signal) }

  func cancel() { handler = nil }
}
