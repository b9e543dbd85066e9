/// A key of the configuration file; the raw value is how it is spelled.
enum Setting: String, CaseIterable, Sendable {
  case source, target, format, minimum, maximum
  case autoStop = "auto-stop"
  case pauseMedia = "pause-media"
  case preRoll = "pre-roll"
  case releaseGrace = "release-grace"
  case levelGain = "level-gain"
  case mediaRole = "media-role"
  case retention
  case lockScreen = "lock-screen"
  case plugins

  /// What the value must be, to complete a sentence.
  var requirement: String {
    switch self {
    case .source: "the name of a source (\"vctl sources\" lists them)"
    case .target, .mediaRole: "a text of at most 4096 bytes"
    case .format: "one of \(Format.allCases.map(\.rawValue).joined(separator: ", "))"
    case .minimum, .autoStop: "a time of 0 or more, such as 0.6 or 600 ms"
    case .maximum: "a time of at least 1 s, such as 300 or 5 min"
    case .pauseMedia, .lockScreen: "yes or no"
    case .preRoll: "a time from 0 to 5 s"
    case .releaseGrace: "a time from 0 to 200 ms"
    case .levelGain: "decibels from -60 to 60"
    case .retention: "a time of 0 or more, such as 24 h or 7 d"
    case .plugins: "absolute folders, with a colon between them"
    }
  }

  /// Sets the value; `false` when it is not one, and nothing changes.
  func apply(_ value: String, to configuration: inout Configuration) -> Bool {
    switch self {
    case .source: set(\.source, value.isEmpty ? nil : text(value), &configuration)
    case .target: set(\.target, text(value), &configuration)
    case .format: set(\.format, Format(rawValue: value), &configuration)
    case .minimum: set(\.minimum, time(value, 0...Double.greatestFiniteMagnitude), &configuration)
    case .maximum: set(\.maximum, time(value, 1...Double.greatestFiniteMagnitude), &configuration)
    case .autoStop: set(\.autoStop, time(value, 0...Double.greatestFiniteMagnitude), &configuration)
    case .pauseMedia: set(\.pauseMedia, answer(value), &configuration)
    case .preRoll: set(\.preRoll, time(value, 0...5), &configuration)
    case .releaseGrace: set(\.releaseGrace, time(value, 0...0.2), &configuration)
    case .levelGain: set(\.levelGain, decibels(value), &configuration)
    case .mediaRole: set(\.mediaRole, text(value), &configuration)
    case .retention:
      set(\.retention, time(value, 0...Double.greatestFiniteMagnitude), &configuration)
    case .lockScreen: set(\.lockScreen, answer(value), &configuration)
    case .plugins: set(\.plugins, folders(value), &configuration)
    }
  }

  private func set<Value>(
    _ field: WritableKeyPath<Configuration, Value>, _ value: Value?,
    _ configuration: inout Configuration
  ) -> Bool {
    guard let value else { return false }
    configuration[keyPath: field] = value
    return true
  }

  private func text(_ value: String) -> String? { value.utf8.count <= 4096 ? value : nil }

  private func answer(_ value: String) -> Bool? {
    switch value {
    case "yes", "on", "true", "1": true
    case "no", "off", "false", "0": false
    default: nil
    }
  }

  /// A number of seconds, or a number with a unit.
  private func time(_ value: String, _ range: ClosedRange<Double>) -> Double? {
    let units: [(String, Double)] = [
      ("ms", 0.001), ("min", 60), ("m", 60), ("s", 1), ("h", 3600), ("d", 86_400), ("", 1),
    ]
    for (unit, seconds) in units where value.utf8.reversed().starts(with: unit.utf8.reversed()) {
      let number = trimmed(value.dropLast(unit.utf8.count))
      // Not "inf", "nan" or hexadecimal.
      guard number.utf8.allSatisfy({ "0123456789.+-".utf8.contains($0) }),
        let figure = Double(number), range.contains(figure * seconds)
      else { return nil }
      return figure * seconds
    }
    return nil
  }

  private func decibels(_ value: String) -> Double? {
    let isNamed = value.utf8.reversed().starts(with: "Bd".utf8)
    let number = isNamed ? trimmed(value.dropLast(2)) : Substring(value)
    guard let figure = Double(number), (-60...60).contains(figure) else { return nil }
    return figure
  }

  private func folders(_ value: String) -> [String]? {
    let folders = value.split(separator: ":").map(String.init)
    return folders.allSatisfy { $0.utf8.first == UInt8(ascii: "/") } ? folders : nil
  }
}
