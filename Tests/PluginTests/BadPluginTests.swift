import Testing
import VoiceTestKit

@Suite("A plugin that breaks one rule")
struct BadPluginTests {
  @Test("fails by the check of that rule, and by no other", arguments: BadPlugin.all)
  func failsByItsCheck(plugin: BadPlugin) throws {
    let folder = try TemporaryFolder()
    let run = try CheckRun(try plugin.build(in: folder.path))
    let expected = plugin.expected == "nothing" ? [] : [plugin.expected]
    #expect(run.faults == expected, "\(run.checks.filter { $0.result != "pass" })")
  }

  @Test("there is one for each kind of fault that a plugin can have")
  func isComplete() {
    let names = Set(BadPlugin.all.map(\.name))
    let kinds = [
      "trap_start", "trap_render", "hang_start", "hang_stop", "flood", "push_after_stop",
      "push_two_threads", "nan_render", "huge_push", "lies_rate", "lies_channels", "leaks", "forks",
      "closes_descriptors", "writes_output", "wrong_abi", "unclean_id", "duplicate_ids",
      "allocates",
      "endless_targets",
    ]
    #expect(Set(kinds).subtracting(names).isEmpty)
  }

  @Test("a file or folder that others may write to is not trusted")
  func trust() throws {
    let folder = try TemporaryFolder()
    let library = try BadPlugin.named("none").build(in: folder.path)
    for mode in ["g+w", "o+w"] {
      _ = try runTool("chmod", [mode, library])
      #expect(try CheckRun(library).faults == ["library.trusted-file fail"])
      _ = try runTool("chmod", ["go-w", library])
    }
    _ = try runTool("chmod", ["g+w", folder.path])
    #expect(try CheckRun(library).faults == ["library.trusted-file fail"])
  }

  @Test("what is no library at all fails to load")
  func garbage() throws {
    let folder = try TemporaryFolder()
    for (name, text) in [("libvoiced-empty.so", ""), ("libvoiced-garbage.so", "\u{7f}ELF garbage")]
    {
      let path = folder.path + "/" + name
      try TextFile.write(path, text)
      let run = try CheckRun(path)
      #expect(run.faults.contains("library.loads fail"))
      #expect(run.checks.contains { $0.check == "clock.first-sound" && $0.result == "skip" })
    }
  }
}
