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
      let line = try Invocation(Array(Swift.CommandLine.arguments.dropFirst()))
      exit(try run(line, isUTF8: isUTF8).rawValue)
    } catch {
      Standard.complain(error.text)
      exit(error.status.rawValue)
    }
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
