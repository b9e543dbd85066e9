/// Help texts, made from the command table.
enum Help {
  /// Columns that texts are folded at.
  static let width = 79

  /// What `vctl help` prints.
  static var overview: String {
    var out = """
      vctl drives voiced, the voice daemon: recordings, levels, sources.

      Usage: vctl COMMAND [OPTION...]


      """
    let column = CommandTable.all.map(\.name.rawValue.count).max() ?? 0
    for command in CommandTable.all {
      out += row(command.name.rawValue, command.summary, column: column)
    }
    out += "\n\"vctl COMMAND --help\" says all about one; --version prints the version.\n"
    out += "\nExit status:\n"
    for code in ExitCode.allCases { out += row(String(code.rawValue), code.meaning, column: 1) }
    return out
  }

  /// What `vctl COMMAND --help` prints.
  static func text(of command: Command) -> String {
    var out = "vctl \(command.name.rawValue): \(command.summary)\n\n"
    out += fold("Usage: " + command.synopsis, indent: 7).dropFirst(7) + "\n"
    for paragraph in command.text { out += fold(paragraph, indent: 0) + "\n" }
    let options = command.options + CommandTable.common
    let labels = options.map(label)
    let column = labels.map(\.count).max() ?? 0
    out += "Options:\n"
    for (option, label) in zip(options, labels) {
      let list = option.choices.isEmpty ? "" : ": " + option.choices.joined(separator: ", ")
      out += row(label, option.summary + list, column: column)
    }
    out += "\nExit status:\n"
    for code in exits(of: command) {
      out += row(String(code.rawValue), command.exits[code] ?? code.meaning, column: 1)
    }
    out += "\nExample (\(command.example.purpose)):\n  \(command.example.line)\n"
    return out
  }

  /// The statuses that the command can end with.
  static func exits(of command: Command) -> [ExitCode] {
    let local: Set<Command.Name> = [.waveform, .completions, .help]
    return ExitCode.allCases.filter { code in
      switch code {
      case .done, .usage: true
      case .notDone, .file: command.exits[code] != nil
      case .unreachable: !local.contains(command.name)
      case .refused: !local.contains(command.name) && command.name != .doctor
      }
    }
  }

  private static func label(_ option: Option) -> String {
    let short = option.short.map { "-\($0), " } ?? ""
    return short + "--" + option.name + (option.value.map { " " + $0 } ?? "")
  }

  /// A label and its text, the text folded beside it.
  private static func row(_ label: String, _ text: String, column: Int) -> String {
    let indent = column + 4
    let pad = String(repeating: " ", count: max(0, column - label.count) + 2)
    return "  " + label + pad + fold(text, indent: indent).dropFirst(indent)
  }

  /// The text in lines of at most `width` columns, each indented and ended by a line feed.
  static func fold(_ text: String, indent: Int) -> String {
    let margin = String(repeating: " ", count: indent)
    var out = ""
    var line = margin
    for word in text.split(separator: " ") {
      if line.count > indent, line.count + 1 + word.count > width {
        out += line + "\n"
        line = margin
      }
      if line.count > indent { line += " " }
      line += word
    }
    return out + line + "\n"
  }
}
