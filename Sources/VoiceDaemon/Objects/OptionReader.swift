import VoiceCore
import VoiceIO

/// Reads an `a{sv}` of options: each key once, each of its type, none unknown.
struct OptionReader {
  private var left: [String: BusValue]

  init(_ options: [String: BusValue]) { left = options }

  mutating func text(_ key: String) throws(Refusal) -> String? {
    guard let value = left.removeValue(forKey: key) else { return nil }
    guard case .string(let text) = value else { throw wrong(key, "a string") }
    return try checked(text, key)
  }

  mutating func flag(_ key: String) throws(Refusal) -> Bool? {
    guard let value = left.removeValue(forKey: key) else { return nil }
    guard case .boolean(let flag) = value else { throw wrong(key, "a boolean") }
    return flag
  }

  mutating func seconds(_ key: String) throws(Refusal) -> Double? {
    guard let value = left.removeValue(forKey: key) else { return nil }
    guard case .double(let seconds) = value else { throw wrong(key, "a double") }
    return seconds
  }

  mutating func number(_ key: String) throws(Refusal) -> UInt32? {
    guard let value = left.removeValue(forKey: key) else { return nil }
    guard case .uint32(let number) = value else { throw wrong(key, "an unsigned 32-bit number") }
    return number
  }

  mutating func texts(_ key: String) throws(Refusal) -> [String]? {
    guard let value = left.removeValue(forKey: key) else { return nil }
    guard case .array(of: "s", let values) = value, values.count <= 64 else {
      throw wrong(key, "an array of strings")
    }
    return try values.map { value throws(Refusal) in
      guard case .string(let text) = value else { throw wrong(key, "an array of strings") }
      return try checked(text, key)
    }
  }

  /// `loop` and `start`.
  mutating func playback() throws(Refusal) -> Playback {
    try Playback(loop: flag("loop") ?? false, start: seconds("start") ?? 0)
  }

  /// Refuses what nobody asked for.
  func finish() throws(Refusal) {
    guard let key = left.keys.min() else { return }
    throw Refusal(.invalidValue, "there is no option '\(key.prefix(64))'")
  }

  private func wrong(_ key: String, _ type: String) -> Refusal {
    Refusal(.invalidValue, "'\(key)' is \(type)")
  }
}

/// Longest string that is taken from a client, in bytes.
let stringLimit = 4096

/// A client's string, when it is short enough.
func checked(_ text: String, _ name: String) throws(Refusal) -> String {
  guard text.utf8.count <= stringLimit else {
    throw Refusal(.invalidValue, "'\(name)' is longer than \(stringLimit) bytes")
  }
  return text
}

extension TakeSettings {
  /// These settings with a client's `Begin` options over them, and whether the take is held.
  func with(options: [String: BusValue]) throws(Refusal) -> (settings: TakeSettings, held: Bool) {
    var reader = OptionReader(options)
    var settings = self
    let held = try reader.flag("hold") ?? false
    if let source = try reader.text("source") {
      // A target belongs to its source: another source begins with its own default.
      if source != settings.source { settings.target = "" }
      settings.source = source
    }
    settings.target = try reader.text("target") ?? settings.target
    settings.playback = try reader.playback()
    if let format = try reader.text("format") { settings.format = try Self.format(format) }
    settings.minimum = try reader.seconds("minimum") ?? settings.minimum
    settings.maximum = try reader.seconds("maximum") ?? settings.maximum
    settings.autoStop = try reader.seconds("auto-stop") ?? settings.autoStop
    settings.pauseMedia = try reader.flag("pause-media") ?? settings.pauseMedia
    settings.application = try reader.text("application") ?? settings.application
    if let waveforms = try reader.texts("waveforms") {
      for name in waveforms where WaveformExport(rawValue: name) == nil {
        throw Refusal(.invalidValue, "there is no waveform '\(name.prefix(64))'")
      }
      settings.waveforms = waveforms
    }
    try reader.finish()
    try settings.check()
    return (settings, held)
  }

  static func format(_ name: String) throws(Refusal) -> Format {
    guard let format = Format(rawValue: name) else {
      let names = Format.allCases.map(\.rawValue).joined(separator: ", ")
      throw Refusal(.invalidValue, "the format is one of \(names)")
    }
    return format
  }

  /// Refuses durations that are no durations.
  func check() throws(Refusal) {
    for (name, value) in [("minimum", minimum), ("maximum", maximum), ("auto-stop", autoStop)] {
      guard value.isFinite, value >= 0 else {
        throw Refusal(.invalidValue, "'\(name)' is a finite number of seconds, 0 or more")
      }
    }
    guard maximum >= 1 else { throw Refusal(.invalidValue, "'maximum' is at least 1 second") }
    guard minimum <= maximum else {
      throw Refusal(.invalidValue, "'minimum' is at most the maximum, \(maximum) s")
    }
  }
}
