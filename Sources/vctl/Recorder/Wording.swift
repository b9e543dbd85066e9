import VoiceCore

/// The daemon's words as sentences for people.
enum Wording {
  /// What a notice means; `nil` when it is not worth a word.
  static func notice(_ kind: String) -> String? {
    switch kind {
    case "silent": "no sound arrives: is the microphone muted?"
    case "source-lost": "the source is gone; waiting for it"
    case "hold": "too short: hold the key while you speak"
    case "access-off": "the microphone is switched off: vctl access on"
    case "stopped": "the recording was interrupted"
    default: nil
    }
  }

  /// Where sound comes from: the source and what it is really linked to, else pointed at.
  static func place(source: String, target: String, linked: String) -> String {
    let place = linked.isEmpty ? target : linked
    return (place.isEmpty || place == source ? source : source + " " + place).plain
  }

  /// How a take ended, in few words.
  static func ending(_ last: RecorderState.Ending) -> String {
    switch last.ending {
    case "sent", "maximum":
      let full = last.ending == "maximum" ? ", at the maximum" : ""
      let warning = verdict(last.verdict).map { ", " + $0 } ?? ""
      return "take \(last.take) is ready\(full)\(warning)"
    case "too-short": return "take \(last.take) was too short"
    case "cancelled": return "take \(last.take) was cancelled"
    default:
      return "take \(last.take) was interrupted" + (last.error.map { ": " + error($0) } ?? "")
    }
  }

  /// What a verdict warns of; `nil` for sound that is fine.
  static func verdict(_ verdict: String?) -> String? {
    switch verdict {
    case "none": "but it is silent"
    case "low": "but very quiet"
    case "clipped": "but too loud"
    default: nil
    }
  }

  /// What an error name means, as the end of a sentence, with what is known beside it; unknown names
  /// without their prefix.
  static func error(_ name: String, _ detail: String = "") -> String {
    guard let known = VoicedError(fullName: name) else {
      return (name.split(separator: ".").last.map(String.init) ?? name).plain
    }
    let text = known.sentence(detail.plain)
    return text.prefix(1).lowercased() + text.dropFirst().dropLast()
  }
}
