import Foundation
import Testing
import VoiceCore
import VoiceIO
import VoiceTestKit

@Suite("voiced-check")
struct CheckProgramTests {
  private func run(_ arguments: String...) throws -> ToolResult {
    try runTool(CheckRun.program, arguments, timeout: 60)
  }

  private var speech: String { DaemonUnderTest.productFolder + "/libvoiced-speech.so" }

  @Test("lists each check with a paragraph, at least 35 of them, in eight groups")
  func list() throws {
    let lines = try run("--list").text.split(separator: "\n", omittingEmptySubsequences: false)
    let names = lines.filter { $0.first?.isLetter == true }
    #expect(names.count >= 35)
    #expect(Set(names).count == names.count)
    #expect(
      Set(names.map { $0.prefix { $0 != "." } }) == [
        "library", "instance", "rates", "clock", "realtime", "targets", "growth", "containment",
      ])
    for (index, line) in lines.enumerated() where names.contains(line) {
      #expect(lines[index + 1].hasPrefix("    "), "\(line) has no paragraph")
    }
    #expect(lines.allSatisfy { $0.count <= 104 })
  }

  @Test("every check that another needs is there, and none waits for itself")
  func needs() throws {
    let only = try run("--only", "clock.levels-in-range", speech)
    #expect(only.isSuccess)
    #expect(only.text.split(separator: "\n").count == 2)
    #expect(only.text.hasPrefix("skip   clock.levels-in-range"))
  }

  @Test("runs one group alone")
  func group() throws {
    let rows = try CheckRun(speech, ["--only", "targets"]).checks
    #expect(rows.count >= 5)
    #expect(rows.allSatisfy { $0.check.hasPrefix("targets.") })
  }

  @Test("wrong usage is status 2 and a sentence")
  func usage() throws {
    for arguments in [
      [], ["--only"], ["--only", "no.such-check", speech], ["--what"], ["a", "b"],
    ] {
      let result = try runTool(CheckRun.program, arguments)
      #expect(result.status == .exited(2))
      #expect(result.errorText.hasPrefix("voiced-check: "))
    }
    #expect(try run("/no/such/library.so").status == .exited(2))
    #expect(try run("--help").isSuccess)
    #expect(try run("--version").text == "voiced-check \(WireNames.daemonVersion)\n")
  }

  @Test("a library that was moved is judged by its real path, with blanks in it too")
  func path() throws {
    let folder = try TemporaryFolder()
    let place = try folder.folder("a b")
    _ = try runTool("cp", [speech, place + "/libvoiced-speech.so"])
    #expect(try CheckRun(place + "/../a b/libvoiced-speech.so").faults.isEmpty)
  }
}
