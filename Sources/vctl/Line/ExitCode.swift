/// What vctl's exit status says; the one list, printed by `vctl help` and the man page.
enum ExitCode: Int32, CaseIterable {
  case done = 0
  case notDone = 1
  case usage = 2
  case unreachable = 3
  case refused = 4
  case file = 5

  /// What the status means, for a person.
  var meaning: String {
    switch self {
    case .done: "done"
    case .notDone: "what was asked for did not happen: no take, or one that was discarded"
    case .usage: "the command line is wrong"
    case .unreachable: "the session bus or the daemon does not answer"
    case .refused: "the daemon refused, with a reason"
    case .file: "a file could not be read, written or moved"
    }
  }
}
