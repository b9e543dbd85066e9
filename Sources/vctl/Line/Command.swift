/// One option of a command.
struct Option: Equatable {
  /// Without its dashes.
  let name: String
  let short: Character?
  /// What stands for the value in help texts; `nil` for a switch.
  let value: String?
  /// The only values there are; empty when any will do.
  let choices: [String]
  /// One sentence without a full stop.
  let summary: String

  init(
    _ name: String, short: Character? = nil, value: String? = nil, choices: [String] = [],
    _ summary: String
  ) {
    self.name = name
    self.short = short
    self.value = value
    self.choices = choices
    self.summary = summary
  }
}

/// One operand of a command: a word that is no option.
struct Operand: Equatable {
  /// What can be offered for it while typing.
  enum Kind: Equatable {
    case source, target, take, file, command
    case words([String])
  }

  let name: String
  let kind: Kind
  let isRequired: Bool

  init(_ name: String, _ kind: Kind, required: Bool = true) {
    self.name = name
    self.kind = kind
    isRequired = required
  }
}

/// One command: the row that parsing, help, completions and the test of the man page share.
struct Command: Equatable {
  /// Names in the order in which they are listed.
  enum Name: String, CaseIterable {
    case status, start, press, lock, release, send, cancel, toggle, record
    case watch, monitor
    case sources, use, takes, recover, forget, waveform
    case access, doctor, completions, help
  }

  let name: Name
  let operands: [Operand]
  let options: [Option]
  /// One line, lower case, no full stop.
  let summary: String
  /// Paragraphs for the command's own help.
  let text: [String]
  /// When the command ends with this status; what `ExitCode` says of the others holds.
  let exits: [ExitCode: String]
  /// A command line and what it is good for.
  let example: (line: String, purpose: String)

  init(
    _ name: Name, operands: [Operand] = [], options: [Option] = [], _ summary: String,
    text: [String], exits: [ExitCode: String] = [:], example: (line: String, purpose: String)
  ) {
    self.name = name
    self.operands = operands
    self.options = options
    self.summary = summary
    self.text = text
    self.exits = exits
    self.example = example
  }

  static func == (a: Command, b: Command) -> Bool { a.name == b.name }

  /// The command and its arguments in one line.
  var synopsis: String {
    var words = ["vctl", name.rawValue]
    for operand in operands {
      words.append(operand.isRequired ? operand.name : "[\(operand.name)]")
    }
    for option in options {
      let flag = option.short.map { "-\($0)" } ?? "--\(option.name)"
      words.append(option.value.map { "[\(flag) \($0)]" } ?? "[\(flag)]")
    }
    return words.joined(separator: " ")
  }
}
