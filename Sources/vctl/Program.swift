import Glibc
import VoiceCore
import VoiceIO

/// The command line of voiced.
@main
struct Program {
  static func main() {
    let isUTF8 = Terminal.useLocale()
    Standard.takeClosedPlaces()
    do throws(Failure) {
      let line = try Invocation(try arguments())
      exit(try run(line, isUTF8: isUTF8).rawValue)
    } catch {
      Standard.complain(error.text)
      exit(error.status.rawValue)
    }
  }

  /// The words after the program's name; bytes that are no text would become another file's name.
  private static func arguments() throws(Failure) -> [String] {
    let all = UnsafeBufferPointer(
      start: Swift.CommandLine.unsafeArgv, count: Int(Swift.CommandLine.argc))
    var words: [String] = []
    for bytes in all.dropFirst() {
      guard let bytes else { break }
      guard let word = String(validatingCString: bytes) else {
        throw Failure(
          .usage, "\"\(String(cString: bytes).plain)\" is not UTF-8; give the file such a name.")
      }
      words.append(word)
    }
    return words
  }

  /// Does what the line asks for.
  /// - Throws: `Failure` when it was not done.
  private static func run(_ line: Invocation, isUTF8: Bool) throws(Failure) -> ExitCode {
    switch (line.request, line.command) {
    case (.version, _): try Standard.say("vctl " + WireNames.daemonVersion)
    case (_, nil): try Standard.print(Help.overview)
    case (.help, let command?): try Standard.print(Help.text(of: command))
    case (.run, let command?): return try run(command.name, line, isUTF8: isUTF8)
    }
    return .done
  }

  private static func run(
    _ name: Command.Name, _ line: Invocation, isUTF8: Bool
  ) throws(Failure) -> ExitCode {
    switch name {
    case .status: try StatusCommand.run(line)
    case .start, .press, .lock, .release, .send, .cancel, .toggle:
      try VerbCommand.run(name, line)
    case .record: try RecordCommand.run(line, isUTF8: isUTF8)
    case .watch: return try WatchCommand.run(line, isUTF8: isUTF8)
    case .monitor: return try MonitorCommand.run(line, isUTF8: isUTF8)
    case .sources: try SourcesCommand.run(line)
    case .use: try UseCommand.run(line)
    case .takes: try TakesCommand.run(line)
    case .recover: try RecoverCommand.run(line)
    case .forget:
      _ = try Daemon().call("ForgetTake", of: Daemon.manager, [.uint32(try line.take())])
    case .waveform: return try WaveformCommand.run(line)
    case .access: try AccessCommand.run(line)
    case .doctor: return try DoctorCommand.run(line)
    case .completions: try Standard.print(Completions.script(for: line.operands[0]) ?? "")
    case .help: try help(line)
    }
    return .done
  }

  private static func help(_ line: Invocation) throws(Failure) {
    guard let name = line.operands.first else { return try Standard.print(Help.overview) }
    guard let command = CommandTable.command(name) else {
      throw Failure(
        .usage, "vctl has no command \"\(name.plain)\"; \"vctl help\" lists the commands.")
    }
    try Standard.print(Help.text(of: command))
  }
}
