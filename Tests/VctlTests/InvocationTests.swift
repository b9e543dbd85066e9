import Testing

@testable import vctl

@Suite("The command line")
struct InvocationTests {
  private func failure(_ arguments: String...) -> Failure? {
    do {
      _ = try Invocation(arguments)
      return nil
    } catch { return error }
  }

  @Test("every name has exactly one row in the table")
  func table() {
    for name in Command.Name.allCases {
      #expect(CommandTable.all.count { $0.name == name } == 1, "\(name)")
    }
  }

  @Test("options stand before and after operands, in every spelling")
  func spellings() throws {
    for words in [
      ["record", "--output", "a.wav", "--max=5", "-f"], ["record", "-f", "--max", "5", "-oa.wav"],
      ["record", "--force", "-o", "a.wav", "--max", "5"],
    ] {
      let line = try Invocation(words)
      #expect(line.command?.name == .record)
      #expect(line.options == ["output": "a.wav", "max": "5", "force": ""])
    }
  }

  @Test("two dashes end the options")
  func dashes() throws {
    let line = try Invocation(["waveform", "--for", "matrix", "--", "-odd.wav"])
    #expect(line.operands == ["-odd.wav"])
  }

  @Test("what is wrong is one sentence with status 2")
  func wrong() {
    for line in [
      failure(), failure("frobnicate"), failure("--frob"), failure("record", "--nope"),
      failure("record", "--max"), failure("record", "--format", "mp3"), failure("use"),
      failure("use", "a", "b", "c"), failure("access", "maybe"), failure("status", "--json=1"),
      failure("record", "--output", ""), failure("record", "-f", "-o", ""),
      failure("recover", "1", "--output="),
    ] {
      #expect(line?.status == .usage)
      #expect(line?.text.contains("\n") == false && line?.text.isEmpty == false)
    }
  }

  @Test("help is found after every command, also when operands are missing")
  func help() throws {
    for command in CommandTable.all {
      let line = try Invocation([command.name.rawValue, "--help"])
      #expect(line.request == .help && line.command == command)
      let text = Help.text(of: command)
      #expect(text.contains("Exit status:") && text.contains("Example"))
      for row in text.split(separator: "\n") { #expect(row.count <= 92, "\(row)") }
      for option in command.options { #expect(text.contains("--" + option.name)) }
    }
    #expect(try Invocation(["--help"]).request == .help)
    #expect(try Invocation(["-V"]).request == .version)
  }

  @Test("numbers are read with a point, and kept in their range")
  func numbers() throws {
    #expect(try Invocation(["record", "--max", "2.5"]).number("max", in: 1...1e9) == 2.5)
    for bad in ["2,5", "nan", "inf", "0", "", "-1", "five"] {
      let line = try Invocation(["record", "--max", bad])
      #expect(throws: Failure.self) { try line.number("max", in: 1...1e9) }
    }
  }

  @Test(
    "numbers for people have at most two digits after the point",
    arguments: [
      (0.5, "0.5"), (1, "1"), (300, "300"), (-0.001, "0"), (12.346, "12.35"), (1e20, "1e+20"),
    ])
  func short(value: Double, text: String) {
    #expect(value.short == text)
  }
}
