import Glibc
import Testing
import VoiceTestKit

@testable import VoiceDaemon

/// No number is given twice.
@Suite struct TakeCounterTests {
  private let temporary: TemporaryFolder
  private let folder: StateFolder

  init() throws {
    temporary = try TemporaryFolder()
    folder = StateFolder(path: temporary.path + "/state/voiced")
  }

  @Test("it counts from 1 and goes on after a restart")
  func restart() {
    let counter = TakeCounter(folder: folder, kept: 0)
    #expect([counter.next(), counter.next(), counter.next()] == [1, 2, 3])
    #expect(TakeCounter(folder: folder, kept: 0).next() == 4)
    // A crash right after the number was given costs no number twice: it is written first.
    #expect(TextFile.read(folder.counter) == "4\n")
  }

  @Test("the highest kept take counts where the file is lost, behind, or nonsense")
  func kept() throws {
    #expect(TakeCounter(folder: folder, kept: 41).next() == 42)
    #expect(TakeCounter(folder: folder, kept: 7).next() == 43)
    for text in ["", "x\n", "-5\n", "99999999999\n", "\0\0"] {
      try TextFile.write(folder.counter, text)
      #expect(TakeCounter(folder: folder, kept: 9).next() == 10, "\(text)")
    }
  }

  @Test("where the folder cannot be written, numbers still rise")
  func unwritable() throws {
    try TextFile.write(temporary.path + "/file", "")
    let counter = TakeCounter(
      folder: StateFolder(path: temporary.path + "/file/voiced"), kept: 3)
    #expect([counter.next(), counter.next()] == [4, 5])
  }

  @Test("the switch is kept; what cannot be kept is off all the same, and on again as it was kept")
  func accessSwitch() throws {
    let access = AccessSwitch(folder: folder)
    #expect(access.isOn)
    try access.turn(false)
    #expect(!AccessSwitch(folder: folder).isOn)
    try access.turn(true)
    #expect(AccessSwitch(folder: folder).isOn)
    try TextFile.write(temporary.path + "/file", "")
    let stuck = AccessSwitch(folder: StateFolder(path: temporary.path + "/file/voiced"))
    #expect(throws: (any Error).self) { try stuck.turn(false) }
    #expect(!stuck.isOn)
    try stuck.turn(true)
    #expect(stuck.isOn)
  }
}
