import Glibc
import VoiceIO

/// `vctl waveform`: hands a file to the program that decodes.
enum WaveformCommand {
  /// Where the decoding program may be, from the folder of this one.
  private static let places = ["", "../libexec/voiced/", "../lib/voiced/"]

  /// Does not return when it succeeds: this process becomes `voiced-take`.
  static func run(_ line: Invocation) throws(Failure) {
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
    var words = [program, "--waveform", file.utf8.first == UInt8(ascii: "-") ? "./" + file : file]
    words.append(line.options["for"] ?? "raw")
    if line.has("packed") { words.append("--packed") }
    var arguments = words.map { strdup($0) }
    arguments.append(nil)
    execv(program, &arguments)
    throw Failure(
      .file, "\(program.plain) cannot be run (\(String(cString: strerror(errno)))).")
  }

  private static func program() -> String? {
    guard let own = realpath("/proc/self/exe", nil) else { return nil }
    defer { free(own) }
    let path = String(cString: own)
    let folder = path[...(path.lastIndex(of: "/") ?? path.startIndex)]
    return places.map { folder + $0 + "voiced-take" }.first { access($0, X_OK) == 0 }
  }
}
