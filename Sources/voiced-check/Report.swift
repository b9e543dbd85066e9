import VoiceCore

/// The findings of a library, as a table or as JSON.
struct Report {
  struct Row {
    let check: Check
    /// The source, where the library has several.
    let source: String?
    let finding: Finding
    let seconds: Double
  }

  let path: String
  let rows: [Row]

  var isBad: Bool { rows.contains { $0.finding.verdict.isBad } }

  private func count(_ verdict: Verdict) -> Int {
    rows.count { $0.finding.verdict == verdict }
  }

  /// One line of the table.
  static func line(_ row: Row) -> String {
    let name = row.check.name + (row.source.map { " (\($0))" } ?? "")
    let padding = String(repeating: " ", count: max(2, 36 - name.utf8.count))
    let text = row.finding.text.isEmpty ? "" : padding + row.finding.text
    let word = row.finding.verdict.word
    return word + String(repeating: " ", count: 7 - word.utf8.count) + name + text + "\n"
  }

  /// The last line of the table.
  var summary: String {
    let counts = Verdict.allCases.map { "\(count($0)) \($0.word)" }.joined(separator: ", ")
    return "\(path): \(rows.count) checks: \(counts)\n"
  }

  var json: String {
    let checks = rows.map { row in
      Json.object(
        [Json.Member("check", .string(row.check.name))]
          + (row.source.map { [Json.Member("source", .string($0))] } ?? []) + [
            Json.Member("result", .string(row.finding.verdict.word)),
            Json.Member("text", .string(row.finding.text)),
            Json.Member("seconds", .number(row.seconds, decimals: 3)),
          ])
    }
    let counts = Verdict.allCases.map { Json.Member($0.word, .integer(Int64(count($0)))) }
    let whole = Json.object([
      "plugin": .string(path), "ok": .boolean(!isBad), "counts": .object(counts),
      "checks": .array(checks),
    ])
    return whole.text + "\n"
  }

  /// Every check with its paragraph.
  static func list(json: Bool) -> String {
    guard json else {
      return Check.all.map { check in
        let lines = check.text.split(separator: "\n").map { "    " + $0 }
        return check.name + "\n" + lines.joined(separator: "\n") + "\n"
      }.joined(separator: "\n")
    }
    let checks = Check.all.map { check in
      let text = check.text.split(separator: "\n").joined(separator: " ")
      return Json.object(["check": .string(check.name), "text": .string(text)])
    }
    return Json.object(["checks": .array(checks)]).text + "\n"
  }
}
