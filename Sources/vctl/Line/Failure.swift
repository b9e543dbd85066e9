import Glibc

/// Why a command ends without having done its work: an exit status and one plain sentence.
struct Failure: Error, Equatable {
  let status: ExitCode
  /// What happened and what to do about it, with its full stop.
  let text: String

  init(_ status: ExitCode, _ text: String) {
    self.status = status
    self.text = text
  }

  /// Standard output cannot be written, for the reason that `errno` gave.
  static func output(_ code: Int32) -> Failure {
    Failure(.file, "Standard output cannot be written (\(String(cString: strerror(code)))).")
  }

  /// What happened, without what to do about it.
  var problem: String { text.lastIndex(of: ";").map { text[..<$0] + "." } ?? text }
}
