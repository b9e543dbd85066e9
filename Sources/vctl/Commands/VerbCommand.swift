import VoiceCore
import VoiceIO

/// The commands that are one verb of the recorder each.
enum VerbCommand {
  static func run(_ name: Command.Name, _ line: Invocation) throws(Failure) {
    let daemon = try Daemon()
    // Heard from before the verb, or a quick end would be missed.
    let end = line.has("wait") ? TakeEnd(daemon) : nil
    let take = try daemon.verb(member(name, daemon))
    guard take > 0 else { throw Failure(.notDone, nothing(name)) }
    if let end {
      guard let ending = try end.wait(for: take) else { throw .daemonGone }
      try Recording(ending).tell(asJson: line.has("json"))
    } else {
      let json: Json = ["take": .integer(Int64(take))]
      try Standard.say(line.has("json") ? json.text : String(take))
    }
  }

  private static func member(_ name: Command.Name, _ daemon: Daemon) throws(Failure) -> String {
    switch name {
    case .start: return "Start"
    case .press: return "Press"
    case .lock: return "Lock"
    case .release: return "Release"
    case .cancel: return "Cancel"
    case .toggle:
      let state = try daemon.all(of: Daemon.recorder)
      return RecorderState.known(state["CurrentPhase"]?.text ?? "") == "idle" ? "Start" : "Send"
    default: return "Send"
    }
  }

  /// What it means that a verb acted on nothing.
  private static func nothing(_ name: Command.Name) -> String {
    switch name {
    case .start, .press, .toggle:
      "Another recording is running or waits to be sent; \"vctl send\" or \"vctl cancel\" ends it."
    case .lock: "No recording is held, so there is nothing to lock."
    case .release: "No recording is held, so there is nothing to release."
    case .cancel: "There is no recording to cancel."
    default: "There is no recording to send; \"vctl start\" begins one."
    }
  }
}
