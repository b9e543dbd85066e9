import Testing
import VoiceIO
import VoiceTestKit

/// The built program, as a shell runs it, without a daemon.
@Suite("The program")
struct ProgramTests {
  private let folder: TemporaryFolder
  init() throws { folder = try TemporaryFolder() }

  /// Runs a line of shell in the folder, in which `vctl` is the built one.
  private func shell(_ line: String) throws -> ToolResult {
    try runTool(
      "sh",
      [
        "-c", "cd \"$1\" && vctl() { \"$0\" \"$@\"; } && \(line)",
        DaemonUnderTest.productFolder + "/vctl", folder.path,
      ])
  }

  private func expect(_ line: String, _ status: Int32, _ words: String) throws {
    let result = try shell(line)
    #expect(result.status == .exited(status), "\(line)")
    #expect(result.errorText.hasPrefix("vctl: ") && result.errorText.contains(words), "\(line)")
    #expect(result.errorText.split(separator: "\n").count == 1, "\(result.errorText)")
  }

  @Test("output that cannot be written is status 5, a reader that has left is none")
  func output() throws {
    try WaveFile.write(folder.path + "/a.wav", channels: [Sound.sine(1, hertz: 400)])
    for line in ["--version", "help", "completions bash", "waveform a.wav"] {
      try expect("vctl \(line) >/dev/full", 5, "No space left")
      try expect("vctl \(line) >&-", 5, "Bad file descriptor")
      #expect(try shell("vctl \(line) | true").errorText.isEmpty)
    }
  }

  @Test("an argument that is not UTF-8 is refused, not taken for another name")
  func names() throws {
    try expect("vctl waveform \"$(printf 'a\\377.wav')\"", 2, "\"a\u{FFFD}.wav\" is not UTF-8")
  }

  @Test("what is wrong with a waveform is told as vctl tells it, a packed form of numbers as usage")
  func waveform() throws {
    try expect("vctl waveform none.wav --packed", 2, "--packed")
    try expect("vctl waveform none.wav --packed --for matrix", 2, "matrix")
    try TextFile.write(folder.path + "/text.wav", "no sound, but a line of text\n")
    try expect("vctl waveform text.wav", 5, "text.wav")
  }
}
