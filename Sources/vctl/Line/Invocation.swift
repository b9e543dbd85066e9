/// A command line, taken apart by the command table.
struct Invocation: Equatable {
  enum Request: Equatable {
    /// Run the command.
    case run
    /// Show help: of the command, or of the whole program when there is none.
    case help
    case version
  }

  var request = Request.run
  var command: Command?
  var operands: [String] = []
  /// Values by the option's name; a switch that is given has the value "".
  var options: [String: String] = [:]

  /// Takes the arguments apart, without the program's name.
  ///
  /// Options may stand before and after operands, as `--name VALUE`, `--name=VALUE`, `-n VALUE`
  /// and `-nVALUE`; `--` ends them.
  /// - Throws: `Failure` with status `usage`.
  init(_ arguments: [String]) throws(Failure) {
    guard let first = arguments.first else {
      throw Failure(.usage, "Say what to do: \"vctl help\" lists the commands.")
    }
    switch first {
    case "--help", "-h":
      request = .help
      return
    case "--version", "-V":
      request = .version
      return
    default: break
    }
    guard let command = CommandTable.command(first) else {
      let kind = first.utf8.first == UInt8(ascii: "-") ? "option" : "command"
      throw Failure(
        .usage, "vctl has no \(kind) \"\(first.plain)\"; \"vctl help\" lists the commands.")
    }
    self.command = command
    try read(arguments.dropFirst(), of: command)
    if options["help"] != nil { request = .help }
    if request == .run { try checkOperands(of: command) }
  }

  private mutating func read(_ words: ArraySlice<String>, of command: Command) throws(Failure) {
    var rest = words
    while let word = rest.popFirst() {
      if word == "--" {
        operands += rest
        return
      }
      guard word.utf8.first == UInt8(ascii: "-"), word != "-" else {
        operands.append(word)
        continue
      }
      let (name, attached) = Self.split(word)
      guard let option = Self.option(name, of: command) else {
        throw Failure(
          .usage,
          "\"vctl \(command.name.rawValue)\" has no option \(name.plain);"
            + " \"vctl \(command.name.rawValue) --help\" lists them.")
      }
      var value = attached
      if option.value == nil {
        guard attached == nil else {
          throw Failure(.usage, "--\(option.name) takes no value.")
        }
      } else if value == nil {
        value = rest.popFirst()
        guard value != nil else {
          throw Failure(.usage, "--\(option.name) needs a value: \(option.summary).")
        }
      }
      let given = value ?? ""
      guard option.choices.isEmpty || option.choices.contains(given) else {
        let list = option.choices.joined(separator: ", ")
        throw Failure(.usage, "--\(option.name) is one of \(list), not \"\(given.plain)\".")
      }
      if option.value == "FILE", given.isEmpty {
        throw Failure(.usage, "--\(option.name) needs the name of a file.")
      }
      options[option.name] = given
    }
  }

  /// The option's name with its dashes, and the value that is attached to it.
  private static func split(_ word: String) -> (name: String, value: String?) {
    if word.utf8.starts(with: "--".utf8) {
      guard let equals = word.firstIndex(of: "=") else { return (word, nil) }
      return (String(word[..<equals]), String(word[word.index(after: equals)...]))
    }
    let value = word.dropFirst(2)
    return (String(word.prefix(2)), value.isEmpty ? nil : String(value))
  }

  private static func option(_ name: String, of command: Command) -> Option? {
    (command.options + CommandTable.common).first { option in
      name == "--" + option.name || option.short.map { name == "-\($0)" } == true
    }
  }

  private func checkOperands(of command: Command) throws(Failure) {
    let needed = command.operands.count(where: \.isRequired)
    if operands.count < needed {
      throw Failure(
        .usage,
        "\"vctl \(command.name.rawValue)\" needs \(command.operands[operands.count].name):"
          + " \(command.synopsis)")
    }
    if operands.count > command.operands.count {
      throw Failure(
        .usage,
        "\"\(operands[command.operands.count].plain)\" is one word too many:"
          + " \(command.synopsis)")
    }
    for (operand, word) in zip(command.operands, operands) {
      guard case .words(let words) = operand.kind, !words.contains(word) else { continue }
      throw Failure(
        .usage,
        "\(operand.name) is one of \(words.joined(separator: ", ")),"
          + " not \"\(word.plain)\".")
    }
  }
}

extension Invocation {
  func has(_ name: String) -> Bool { options[name] != nil }

  /// The option's value as a number of seconds or the like.
  /// - Throws: `Failure` when it is no number, or outside the range.
  func number(_ name: String, in range: ClosedRange<Double>) throws(Failure) -> Double? {
    guard let text = options[name] else { return nil }
    guard let value = Double(text), value.isFinite, range.contains(value) else {
      let low = range.lowerBound.short
      let bounds =
        range.upperBound.isFinite && range.upperBound < 1e9
        ? "from \(low) to \(range.upperBound.short)"
        : "of at least \(low)"
      throw Failure(.usage, "--\(name) is a number \(bounds), not \"\(text.plain)\".")
    }
    return value
  }

  /// The first operand as the number of a take.
  func take() throws(Failure) -> UInt32 {
    guard let text = operands.first, let take = UInt32(text), take > 0 else {
      throw Failure(
        .usage,
        "TAKE is a take's number, as \"vctl takes\" lists them,"
          + " not \"\((operands.first ?? "").plain)\".")
    }
    return take
  }
}
