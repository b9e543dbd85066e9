import Testing
import VoiceIO
import VoiceTestKit

/// Commands that print for as long as they run, and what becomes of their output.
@Suite("Output of live commands", .lane)
struct LiveOutputTests {
  private static let lines = [
    "watch --format json", "watch --format waybar", "watch --format plain", "monitor speech",
    "monitor speech --json",
  ]

  private func shell(_ stage: Stage, _ line: String) throws -> ToolResult {
    try runTool(
      "timeout", ["10", "sh", "-c", line, DaemonUnderTest.productFolder + "/vctl"],
      environment: stage.rig.desktop.environment, timeout: 15)
  }

  @Test("what cannot be written ends them with status 5 and a sentence", arguments: lines)
  func unwritable(line: String) throws {
    let stage = try Stage.speaking()
    let cases = [("/dev/full", "No space left on device"), ("&-", "Bad file descriptor")]
    for (place, reason) in cases {
      let result = try shell(stage, "exec \"$0\" \(line) >\(place)")
      #expect(result.status == .exited(5))
      #expect(
        result.errorText == "vctl: Standard output cannot be written (\(reason)).\n",
        "\(result.errorText)")
    }
    #expect(try stage.isAtRest())
  }

  @Test("a reader that leaves ends them with status 0 and without a word", arguments: lines)
  func left(line: String) throws {
    let stage = try Stage.speaking()
    let result = try shell(stage, "{ \"$0\" \(line); echo $? >&2; } | head -n 1")
    #expect(result.isSuccess && !result.text.isEmpty)
    #expect(result.errorText == "0\n", "\(result.errorText)")
    #expect(try stage.isAtRest())
  }
}
