/// What the daemon tells a source process.
package enum SourceCommand: Equatable, Sendable {
  /// Start the plugin. `options` are `key=value` lines for the plugin.
  case start(target: String, options: String)
  /// A take joined (`true`) or the last one left: show the stream as recording or as metering.
  case recording(Bool)
  case stop

  package var message: ControlMessage {
    switch self {
    case .start(let target, let options):
      ControlMessage("start", ["target": target, "options": options])
    case .recording(let on): ControlMessage("recording", ["on": on ? "1" : "0"])
    case .stop: ControlMessage("stop")
    }
  }

  /// `nil` for a word this version does not know, which is not an error.
  package init?(_ message: ControlMessage) {
    switch message.word {
    case "start":
      self = .start(target: message["target"] ?? "", options: message["options"] ?? "")
    case "recording": self = .recording(message["on"] == "1")
    case "stop": self = .stop
    default: return nil
    }
  }
}

/// What a source process tells the daemon.
package enum SourceReport: Equatable, Sendable {
  case format(rate: Int, channels: Int)
  /// What the plugin is really linked to; `nil` while it is linked to nothing.
  case linked(String?)
  /// The plugin will push no more: 0 is the end of its material, else a negative errno.
  case ended(Int32)
  /// The plugin could not be loaded or refused to start; the text is for a person.
  case failed(errno: Int32, text: String)
  case log(severity: Int32, text: String)

  package var message: ControlMessage {
    switch self {
    case .format(let rate, let channels):
      ControlMessage("format", ["rate": String(rate), "channels": String(channels)])
    case .linked(let target): ControlMessage("linked", target.map { ["target": $0] } ?? [:])
    case .ended(let code): ControlMessage("ended", ["errno": String(code)])
    case .failed(let code, let text):
      ControlMessage("failed", ["errno": String(code), "text": text])
    case .log(let severity, let text):
      ControlMessage("log", ["severity": String(severity), "text": text])
    }
  }

  /// `nil` for a word this version does not know, or figures that are none.
  package init?(_ message: ControlMessage) {
    func number<T: FixedWidthInteger>(_ key: String, _: T.Type = T.self) -> T? {
      message[key].flatMap { T($0) }
    }
    switch message.word {
    case "format":
      guard let rate: Int = number("rate"), let channels: Int = number("channels"), rate > 0,
        channels > 0
      else { return nil }
      self = .format(rate: rate, channels: channels)
    case "linked": self = .linked(message["target"])
    case "ended":
      guard let code: Int32 = number("errno") else { return nil }
      self = .ended(code)
    case "failed":
      guard let code: Int32 = number("errno") else { return nil }
      self = .failed(errno: code, text: message["text"] ?? "")
    case "log":
      guard let severity: Int32 = number("severity") else { return nil }
      self = .log(severity: severity, text: message["text"] ?? "")
    default: return nil
    }
  }
}
