import VoiceCore

@testable import VoiceDaemon
@testable import VoiceIO

/// The options of `Begin` and the properties of a recorder, made of the input's bytes.
enum OptionsTarget {
  private static let keys = [
    "hold", "source", "target", "format", "minimum", "maximum", "auto-stop", "pause-media",
    "waveforms", "application", "Source", "Target", "Format", "MinimumDuration", "MaximumDuration",
    "AutoStop", "PauseMedia", "rate", "reason", "", "loop", "start",
  ]

  static func run(_ input: [UInt8]) -> Int32 {
    var bytes = input[...]
    var options: [String: BusValue] = [:]
    while let first = bytes.popFirst(), options.count < keys.count {
      options[keys[Int(first) % keys.count]] = value(&bytes)
    }
    check(options)
    for (name, value) in options {
      if let settings = try? TakeSettings(Configuration()).setting(name, to: value) {
        check(settings)
      }
    }
    return 0
  }

  /// Options are refused, or give settings that a take can have.
  static func check(_ options: [String: BusValue]) {
    if let (settings, _) = try? TakeSettings(Configuration()).with(options: options) {
      check(settings)
    }
    _ = try? Monitor.Request(options: options)
  }

  private static func check(_ settings: TakeSettings) {
    if !(settings.maximum.isFinite && settings.maximum >= 1 && settings.minimum >= 0
      && settings.minimum <= settings.maximum && settings.autoStop.isFinite
      && settings.autoStop >= 0)
    {
      broken("a take's durations are numbers of seconds, within their bounds")
    }
    if !(settings.playback.start.isFinite && settings.playback.start >= 0) {
      broken("material begins at a number of seconds")
    }
    if settings.source.utf8.count > 4096 || settings.target.utf8.count > 4096 {
      broken("no text is longer than 4096 bytes")
    }
    _ = settings.maximumFrames
  }

  private static func value(_ bytes: inout ArraySlice<UInt8>) -> BusValue {
    func text(_ bytes: inout ArraySlice<UInt8>) -> String {
      let count = Int(bytes.popFirst() ?? 0)
      defer { bytes = bytes.dropFirst(count) }
      // Some are long, for the limit.
      let text = String(decoding: bytes.prefix(count), as: UTF8.self)
      return count == 255 ? String(repeating: text, count: 40) : text
    }
    func number(_ bytes: inout ArraySlice<UInt8>) -> UInt64 {
      var number: UInt64 = 0
      for _ in 0..<8 { number = number << 8 | UInt64(bytes.popFirst() ?? 0) }
      return number
    }
    switch (bytes.popFirst() ?? 0) % 8 {
    case 0: return .string(text(&bytes))
    case 1: return .boolean((bytes.popFirst() ?? 0) & 1 == 1)
    case 2: return .double(Double(bitPattern: number(&bytes)))
    case 3: return .uint32(UInt32(truncatingIfNeeded: number(&bytes)))
    case 4:
      let count = Int(bytes.popFirst() ?? 0) % 80
      return .array(of: "s", (0..<count).map { _ in .string(text(&bytes)) })
    case 5: return .variant(.string(text(&bytes)))
    case 6: return .dictionary([text(&bytes): .int32(0)])
    default: return .int64(Int64(bitPattern: number(&bytes)))
    }
  }
}
