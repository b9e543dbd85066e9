/// How a check came out; the numbers travel from a check's process to the one that asked.
enum Verdict: Int32, CaseIterable {
  case pass = 1
  /// The host copes, but the contract asks for something else.
  case warn
  /// A rule of the contract is broken, or a call did not return in time.
  case fail
  /// The process of the check ended by itself.
  case crash
  /// Could not be judged here; the text says why.
  case skip

  var word: String { "\(self)" }

  /// Whether a checked library is at fault: what makes `voiced-check` end with status 1.
  var isBad: Bool { self == .fail || self == .crash }
}

/// What a check found; thrown to leave a check early.
struct Finding: Error {
  let verdict: Verdict
  /// One sentence for the author, empty when there is nothing to say.
  let text: String

  static let pass = Finding(verdict: .pass, text: "")
  static func pass(_ text: String) -> Finding { Finding(verdict: .pass, text: text) }
  static func warn(_ text: String) -> Finding { Finding(verdict: .warn, text: text) }
  static func fail(_ text: String) -> Finding { Finding(verdict: .fail, text: text) }
  static func skip(_ text: String) -> Finding { Finding(verdict: .skip, text: text) }
}
