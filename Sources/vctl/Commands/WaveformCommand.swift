import Glibc
import VoiceCore
import VoiceIO

/// `vctl waveform`: hands a file to the program that decodes.
enum WaveformCommand {
  /// Where the decoding program may be, from the folder of this one.
  private static let places = ["", "../libexec/voiced/", "../lib/voiced/"]

  static func run(_ line: Invocation) throws(Failure) -> ExitCode {
    let shape = line.options["for"] ?? "raw"
    if line.has("packed"), WaveformExport(rawValue: shape)?.isBytes != true {
      throw Failure(
        .usage, "--packed goes with --for telegram and --for whatsapp, not with \(shape).")
    }
    guard let program = program() else {
      throw Failure(
        .file,
        "voiced-take, which decodes files, is not where vctl is installed; install voiced"
          + " again.")
    }
    let file = line.operands[0]
    if access(file, R_OK) != 0 {
      throw Failure(.file, "\(file.plain) cannot be read (\(String(cString: strerror(errno)))).")
    }
    // What it says of the file it says in the name that it is run under.
    var words = ["vctl", "--waveform", file.utf8.first == UInt8(ascii: "-") ? "./" + file : file]
    words.append(shape)
    if line.has("packed") { words.append("--packed") }
    return try run(program, words)
  }

  /// Runs the program on this one's standard streams, and in its terminal's foreground.
  private static func run(_ program: String, _ words: [String]) throws(Failure) -> ExitCode {
    var arguments = words.map { strdup($0) }
    arguments.append(nil)
    defer { for argument in arguments { free(argument) } }
    var child = pid_t()
    let code = posix_spawn(&child, program, nil, nil, &arguments, environ)
    guard code == 0 else {
      throw Failure(
        .file, "\(program.plain) cannot be run (\(String(cString: strerror(code)))).")
    }
    var status: Int32 = 0
    while waitpid(child, &status, 0) < 0, errno == EINTR {}
    guard status & 0x7f == 0 else {
      throw Failure(.file, "The file made its decoder fail (signal \(status & 0x7f)).")
    }
    // What is wrong with the file it has said itself.
    return status == 0 ? .done : .file
  }

  private static func program() -> String? {
    guard let own = realpath("/proc/self/exe", nil) else { return nil }
    defer { free(own) }
    let path = String(cString: own)
    let folder = path[...(path.lastIndex(of: "/") ?? path.startIndex)]
    return places.map { folder + $0 + "voiced-take" }.first { access($0, X_OK) == 0 }
  }
}
