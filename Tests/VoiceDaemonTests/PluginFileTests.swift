import Glibc
import Testing
import VoiceTestKit

@testable import VoiceDaemon

/// Who may have written what the daemon's children load.
@Suite struct PluginFileTests {
  private let folder: TemporaryFolder
  private let path: String

  init() throws {
    folder = try TemporaryFolder()
    path = folder.path + "/libvoiced-x.so"
    try TextFile.write(path, "")
    chmod(path, 0o644)
  }

  private func file(_ path: String? = nil) throws -> PluginFile {
    let path = path ?? self.path
    return PluginFile(path: path, facts: try #require(FileFacts(path: path)))
  }

  @Test("a file and a folder that only the user can write to are accepted")
  func accepted() throws {
    #expect(try file().refusal() == nil)
    chmod(path, 0o755)
    #expect(try file().refusal() == nil)
  }

  @Test("a file that others can write to is refused, with what to do", arguments: [0o664, 0o646])
  func writableFile(mode: UInt32) throws {
    chmod(path, mode)
    let reason = try #require(try file().refusal())
    #expect(reason.contains("the file") && reason.contains("chmod go-w"))
  }

  @Test("a folder that others can write to is refused, a sticky one too")
  func writableFolder() throws {
    chmod(folder.path, 0o777)
    let reason = try #require(try file().refusal())
    #expect(reason.contains("folder") && reason.contains("chmod go-w"))
    chmod(folder.path, 0o1777)
    #expect(try file().refusal()?.contains("folder") == true)
  }

  @Test("a file of another user is refused, root's is not")
  func owner() throws {
    var foreign = try file()
    foreign.facts.owner = geteuid() &+ 1
    #expect(foreign.refusal()?.contains("chown") == true)
    foreign.facts.owner = 0
    #expect(foreign.refusal() == nil)
    // The same file, looked at by somebody else than its owner.
    foreign.facts.owner = 1000
    #expect(foreign.refusal(user: 1001)?.contains("1000") == true)
  }

  @Test("a folder named like a plugin, and a link into a folder of others, are refused")
  func kinds() throws {
    let odd = folder.path + "/libvoiced-folder.so"
    mkdir(odd, 0o700)
    #expect(try file(odd).refusal()?.contains("regular") == true)
    // A link is followed: what counts is the file that is loaded.
    let link = folder.path + "/libvoiced-link.so"
    symlink(path, link)
    chmod(path, 0o666)
    #expect(try file(link).refusal()?.contains("writable") == true)
  }

  @Test("a link into a folder that others may write to is refused: they can put another file there")
  func linkedFolder() throws {
    let open = try folder.folder("open")
    let real = open + "/libvoiced-x.so"
    try TextFile.write(real, "")
    let link = folder.path + "/libvoiced-link.so"
    symlink(real, link)
    #expect(try file(link).refusal() == nil)
    chmod(open, 0o777)
    let reason = try file(link).refusal()
    #expect(reason?.contains("folder it links to, \(open), is writable by others") == true)
  }

  @Test("the id that a file's name suggests")
  func suggestedID() throws {
    func id(_ name: String) throws -> String {
      PluginFile(path: "/x/" + name, facts: try #require(FileFacts(path: path))).suggestedID
    }
    #expect(try id("libvoiced-microphone.so") == "microphone")
    #expect(try id("libtone.so") == "tone")
    #expect(try id("libvoiced-a.b.so") == "a")
  }

  @Test("clean ids, and others")
  func cleanIDs() {
    for id in ["speech", "a", "my-source-2", String(repeating: "x", count: 32)] {
      #expect(isCleanID(id), "\(id)")
    }
    let unclean = [
      "", "-x", ".x", "0", "a_b", "a.b", "X", "a b", "a/b", "é", "a\n",
      String(repeating: "x", count: 33),
    ]
    for id in unclean { #expect(!isCleanID(id), "\(id)") }
  }
}
