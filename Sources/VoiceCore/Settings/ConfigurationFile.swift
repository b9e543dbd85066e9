/// Reads the text of `voiced.conf`: `key = value` lines, `#` comments.
///
///     # Panel recorder
///     format = opus
///     minimum = 400 ms       # a number alone is in seconds
///     target = "my mic #2"   # quotes keep a # and blanks
///
/// What cannot be used is passed over with a warning, so that a slip costs one setting, not the daemon.
package struct ConfigurationFile: Equatable, Sendable {
  /// A line that was not used as it stands, for the log and `vctl doctor`.
  package struct Warning: Equatable, Sendable {
    /// Counted from 1; 0 is the file as a whole.
    package var line: Int
    /// A plain sentence without the line's number.
    package var text: String
  }

  package private(set) var configuration = Configuration()
  package private(set) var warnings: [Warning] = []

  /// A file that cannot be used at all, and why, as a sentence.
  package init(problem: String) { warn(0, problem) }

  package init(text: String) {
    var lines: [String: Int] = [:]
    let all = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
    for (index, line) in all.enumerated() {
      let line = index == 0 && line.unicodeScalars.first == "\u{feff}" ? line.dropFirst() : line
      read(trimmed(line), number: index + 1, lines: &lines)
    }
    if configuration.minimum > configuration.maximum {
      warn(lines["minimum"] ?? lines["maximum"] ?? 0, "minimum is above maximum and is ignored.")
      configuration.minimum = min(Configuration().minimum, configuration.maximum)
    }
  }

  private mutating func read(_ line: Substring, number: Int, lines: inout [String: Int]) {
    guard let first = line.first, first != "#" else { return }
    guard let equals = line.firstIndex(of: "=") else {
      return warn(number, "This is not \"key = value\" and is ignored.")
    }
    let key = String(trimmed(line[..<equals]))
    guard let setting = Setting(rawValue: key) else {
      let known = Setting.allCases.map(\.rawValue).joined(separator: ", ")
      return warn(number, "\"\(key)\" is not a setting and is ignored; there are \(known).")
    }
    guard let value = plain(trimmed(line[line.index(after: equals)...])) else {
      return warn(number, "A quoted value of \(key) does not end and is ignored.")
    }
    guard setting.apply(value, to: &configuration) else {
      return warn(number, "\"\(value)\" is ignored: \(key) must be \(setting.requirement).")
    }
    if let earlier = lines.updateValue(number, forKey: key) {
      warn(number, "\(key) is set in line \(earlier) too; this line counts.")
    }
  }

  private mutating func warn(_ line: Int, _ text: String) {
    warnings.append(Warning(line: line, text: text))
  }

  /// The value without its quotes or its comment; `nil` when a quote does not end.
  private func plain(_ value: Substring) -> String? {
    if value.first == "\"" {
      let body = value.dropFirst()
      guard let end = body.firstIndex(of: "\"") else { return nil }
      return String(body[..<end])
    }
    var previous: Character = " "
    for index in value.indices {
      if value[index] == "#", isBlank(previous) { return String(trimmed(value[..<index])) }
      previous = value[index]
    }
    return String(value)
  }
}

/// The text without blanks at either end.
func trimmed(_ text: Substring) -> Substring {
  let head = text.drop(while: isBlank)
  guard let last = head.lastIndex(where: { !isBlank($0) }) else { return head.prefix(0) }
  return head[...last]
}

private func isBlank(_ character: Character) -> Bool { character == " " || character == "\t" }
