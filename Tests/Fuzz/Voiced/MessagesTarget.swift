import VoiceCore

/// Packets between the daemon and its children: what is understood is written as it was read.
enum MessagesTarget {
  static func run(_ input: [UInt8]) -> Int32 {
    guard let message = ControlMessage(bytes: input) else { return 0 }
    if ControlMessage(bytes: message.bytes) != message { broken("a message is what it was") }
    if let report = TakeReport(message) {
      // Not equal at once: a figure may have been written in another way.
      guard let again = TakeReport(report.message), again == report else {
        broken("a take's report is what it was")
      }
    }
    if let report = SourceReport(message), SourceReport(report.message) != report {
      broken("a source's report is what it was")
    }
    if let command = SourceCommand(message), SourceCommand(command.message) != command {
      broken("a command to a source is what it was")
    }
    if let command = TakeCommand(message), TakeCommand(command.message) != command {
      broken("a command to a take is what it was")
    }
    return 0
  }
}
