import Testing
import VoiceIO
import VoiceTestKit

@Suite("A plugin of this package")
struct GoodPluginTests {
  private func library(_ name: String) -> String {
    DaemonUnderTest.productFolder + "/libvoiced-\(name).so"
  }

  @Test(
    "passes without a warning where there is no sound server, no file and no device",
    arguments: Tree.bundled)
  func passesAlone(name: String) throws {
    let desktop = try PrivateDesktop()
    let run = try CheckRun(library(name), environment: desktop.environment)
    #expect(run.faults.isEmpty, "\(run.checks.filter { $0.result != "pass" })")
  }

  @Test("microphone passes with a microphone to hear")
  func microphone() throws {
    let rig = try Rig()
    _ = try rig.microphone("vmic", Sound.sine(30))
    let run = try CheckRun(library("microphone"), environment: rig.desktop.environment)
    #expect(run.faults.isEmpty, "\(run.checks.filter { $0.result != "pass" })")
    #expect(run.checks.contains { $0.check == "rates.frames-as-told" && $0.result == "pass" })
  }

  @Test("file passes with a file to play", arguments: ["wav", "m4a", "ogg"])
  func file(kind: String) throws {
    let folder = try TemporaryFolder()
    let path = "\(folder.path)/sound.\(kind)"
    let made = try runTool(
      "ffmpeg", ["-v", "error", "-f", "lavfi", "-i", "sine=frequency=300:duration=20", path],
      timeout: 60)
    try #require(made.isSuccess, "\(made.errorText)")
    let run = try CheckRun(library("file"), ["--target", path])
    #expect(run.faults.isEmpty, "\(run.checks.filter { $0.result != "pass" })")
    #expect(run.checks.contains { $0.check == "clock.first-sound" && $0.result == "pass" })
  }

  @Test("examples in other languages build with their own makefile and pass", arguments: ["load"])
  func examples(name: String) throws {
    let folder = try TemporaryFolder()
    _ = try runTool("cp", ["-r", "\(Tree.root)/Plugins/Examples/\(name)", folder.path])
    let made = try runTool(
      "make", ["-C", "\(folder.path)/\(name)", "TREE=\(Tree.root)", "CHECK=\(CheckRun.program)"],
      timeout: 60)
    try #require(made.isSuccess, "\(made.errorText)")
    let run = try CheckRun("\(folder.path)/\(name)/libvoiced-\(name).so")
    #expect(run.faults.isEmpty, "\(run.checks.filter { $0.result != "pass" })")
  }

  @Test("has a README with the same headings", arguments: Tree.bundled)
  func readme(name: String) {
    let folder = name.prefix(1).uppercased() + name.dropFirst()
    let text = TextFile.read("\(Tree.root)/Plugins/\(folder)/README.md")
    let headings = text.split(separator: "\n").filter { $0.hasPrefix("## ") }.map {
      $0.dropFirst(3)
    }
    let wanted = [
      "What it gives", "Targets and options", "Needs", "Privacy", "Limits", "How to test",
    ]
    #expect(headings.filter { wanted.contains(String($0)) } == wanted.map { $0[...] })
  }
}
