/// Why a call is not done: a named error of the wire contract, and what was wrong this time.
package struct Refusal: Error, Equatable, Sendable {
  package var error: VoicedError
  /// Completes the error's own sentence; empty when that says it all.
  package var detail: String

  package init(_ error: VoicedError, _ detail: String = "") {
    self.error = error
    self.detail = detail
  }

  /// The sentence for the caller.
  package var text: String { error.sentence(detail) }
}
