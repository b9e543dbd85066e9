import VoiceCore

/// One thing that the doctor looked at.
struct Finding: Equatable {
  enum State: String {
    case ok
    /// Worth knowing, nothing to do.
    case note
    /// Something does not work, or not as it should.
    case mend
  }

  /// What was looked at, in a word.
  let check: String
  let state: State
  /// What was found, as a sentence.
  let text: String
  /// What to do, as a sentence; empty when there is nothing to do.
  let advice: String

  init(_ check: String, _ state: State, _ text: String, _ advice: String = "") {
    self.check = check
    self.state = state
    self.text = text
    self.advice = advice
  }

  var json: Json {
    [
      "check": .string(check), "state": .string(state.rawValue), "text": .string(text),
      "advice": .string(advice),
    ]
  }
}
