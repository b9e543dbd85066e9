import Glibc
import Testing
import VoiceCore
import VoiceTestKit

@testable import VoiceDaemon

/// The access switch and its file.
@Suite struct AccessSwitchTests {
  private let temporary: TemporaryFolder
  private let folder: StateFolder

  init() throws {
    temporary = try TemporaryFolder()
    folder = StateFolder(path: temporary.path + "/voiced")
    folder.make()
  }

  @Test(
    "on without a file; of one that says nothing, off: it was made to keep that",
    arguments: [(nil, true), ("on\n", true), ("off\n", false), ("", false), ("\0\0\0\0", false)])
  func kept(text: String?, isOn: Bool) throws {
    if let text { try TextFile.write(folder.access, text) }
    #expect(AccessSwitch(folder: folder).isOn == isOn)
  }

  @Test("what is switched is kept, also over a file that says nothing")
  func turned() throws {
    try TextFile.write(folder.access, "")
    for on in [false, true] {
      try AccessSwitch(folder: folder).turn(on)
      #expect(TextFile.read(folder.access) == (on ? "on\n" : "off\n"))
      #expect(AccessSwitch(folder: folder).isOn == on)
    }
  }

  @Test("off that cannot be kept is off all the same, and said; on is not on")
  func unkept() throws {
    mkdir(folder.access, 0o700)
    let access = AccessSwitch(folder: folder)
    for on in [true, false] {
      #expect(throws: Refusal.self) { try access.turn(on) }
      #expect(!access.isOn)
    }
  }
}
