import Testing
import VoiceIO
import VoiceTestKit

@Suite("make plugin")
struct NewPluginTests {
  /// The few files of the package that stamping needs, in a folder of their own.
  private func tree() throws -> TemporaryFolder {
    let folder = try TemporaryFolder()
    let parts = [
      "Makefile", "tools/new-plugin", "Plugins/Template", "Plugins/Examples",
      "Sources/CVoiced/include",
    ]
    let copied = try runTool(
      "sh",
      ["-c", "cd \(Tree.root) && cp -r --parents \(parts.joined(separator: " ")) \(folder.path)"])
    guard copied.isSuccess else { throw RigFailure(copied.errorText) }
    return folder
  }

  private func make(_ folder: TemporaryFolder, _ arguments: String...) throws -> ToolResult {
    var environment = ProcessEnvironment.all
    environment["VOICED_CHECK"] = CheckRun.program
    return try runTool(
      "make", ["-C", folder.path, "plugin"] + arguments, environment: environment, timeout: 120)
  }

  @Test("stamps a source that passes every check", arguments: ["c", "swift"])
  func stamps(language: String) throws {
    let folder = try tree()
    let made = try make(folder, "NAME=my-source", "LANG=\(language)")
    #expect(made.isSuccess, "\(made.text) \(made.errorText)")
    #expect(made.text.contains("0 warn, 0 fail, 0 crash"))
    let plugin = folder.path + "/Plugins/MySource"
    #expect(TextFile.read("\(plugin)/my-source.\(language)").contains("\"my-source\""))
    #expect(TextFile.read("\(plugin)/README.md").hasPrefix("# My source\n"))
    for word in ["template", "swift-tone", "Swift tone"] {
      #expect(try !runTool("grep", ["-rI", word, plugin]).isSuccess, "\(word) is left")
    }
    let run = try CheckRun("\(plugin)/libvoiced-my-source.so")
    #expect(run.faults.isEmpty)
  }

  @Test("refuses names that are no ids, and what is there already")
  func refuses() throws {
    let folder = try tree()
    let names = [
      "", "../x", "Upper", "9lives", "a b", "template", String(repeating: "a", count: 33),
    ]
    for name in names {
      let made = try make(folder, "NAME=\(name)", "LANG=c")
      #expect(!made.isSuccess)
      #expect(made.errorText.contains("new-plugin: "), "\(name)")
    }
    #expect(try !make(folder, "NAME=x", "LANG=cobol").isSuccess)
  }
}
