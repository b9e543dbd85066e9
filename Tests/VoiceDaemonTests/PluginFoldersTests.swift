import Glibc
import Testing
import VoiceTestKit

@testable import VoiceDaemon

/// Where plugins are looked for, and which one wins.
@Suite struct PluginFoldersTests {
  @Test("the variable comes first, then the configuration, the executable, the user, the system")
  func order() {
    let folders = PluginFolders(
      path: "/one:/two", extra: ["/three"], executable: "/usr/bin", home: "/home/u")
    #expect(
      folders.folders.map(\.path) == [
        "/one", "/two", "/three", "/usr/bin", "/home/u/.local/lib/voiced/plugins",
        "/usr/bin/../lib/voiced/plugins", "/usr/lib/voiced/plugins",
      ])
    #expect(folders.folders.filter(\.onlyOurs).map(\.path) == ["/usr/bin"])
  }

  @Test("relative and empty entries are passed over, and so is a home that is not known")
  func entries() {
    let folders = PluginFolders(path: ":relative::/one:", extra: ["x"], executable: "/b", home: nil)
    #expect(
      folders.folders.map(\.path) == [
        "/one", "/b", "/b/../lib/voiced/plugins",
        "/usr/lib/voiced/plugins",
      ])
  }

  @Test("files in order, by name within a folder; beside the executable only ours; each once")
  func files() throws {
    let folder = try TemporaryFolder()
    let named = try folder.folder("named")
    let executable = try folder.folder("bin")
    for name in ["libz.so", "liba.so", "notes.txt", "liba.so.1", "a.so"] {
      try TextFile.write(named + "/" + name, "")
    }
    for name in ["libvoiced-speech.so", "libc.so"] {
      try TextFile.write(executable + "/" + name, "")
    }
    symlink(named + "/liba.so", executable + "/libvoiced-again.so")
    let files = PluginFolders(
      path: named, extra: [], executable: executable, home: folder.path
    ).files()
    let ours = files.map(\.path).filter { $0.hasPrefix(folder.path) }
    #expect(
      ours == [named + "/liba.so", named + "/libz.so", executable + "/libvoiced-speech.so"])
  }
}
