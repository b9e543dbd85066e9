import VoiceCore

/// `voiced.conf` of any text: every setting stays within its bounds.
enum ConfigurationTarget {
  static func run(_ input: [UInt8]) -> Int32 {
    let file = ConfigurationFile(text: String(decoding: input, as: UTF8.self))
    let settings = file.configuration
    for seconds in [
      settings.minimum, settings.maximum, settings.autoStop, settings.preRoll,
      settings.releaseGrace, settings.retention,
    ] where !seconds.isFinite || seconds < 0 {
      broken("a duration is a number of seconds")
    }
    if settings.minimum > settings.maximum || settings.maximum < 1 {
      broken("the minimum is at most the maximum, which is at least a second")
    }
    if settings.preRoll > 5 || settings.releaseGrace > 0.2 {
      broken("pre-roll and release grace keep their limits")
    }
    if !settings.levelGain.isFinite { broken("a gain is a number of decibels") }
    for warning in file.warnings where warning.line < 1 || warning.text.isEmpty {
      broken("a warning has a line and a sentence")
    }
    return 0
  }
}
