import Glibc
import Testing
import VoiceCore
import VoiceIO
import VoiceTestKit

/// The configuration as it lies on the disk.
@Suite struct ConfigurationReadingTests {
  private let folder: TemporaryFolder
  private var path: String { folder.path + "/voiced.conf" }

  init() throws { folder = try TemporaryFolder() }

  @Test("a file that is not there is an empty one")
  func missing() { #expect(ConfigurationFile.file(at: path) == ConfigurationFile(text: "")) }

  @Test("a byte that is not UTF-8 costs no other line")
  func repaired() throws {
    let text = Array("# caf".utf8) + [0xe9] + Array("\nformat = flac\n".utf8)
    let file = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
    #expect(write(file, text, text.count) == text.count)
    close(file)
    let read = ConfigurationFile.file(at: path)
    #expect(read.configuration.format == .flac && read.warnings.isEmpty)
  }

  @Test("a folder in its place, and a file beyond 64 KiB, are told as a whole")
  func unusable() throws {
    let line = "format = flac\n"
    try TextFile.write(path, line + String(repeating: "#", count: 65_536 - line.utf8.count))
    #expect(ConfigurationFile.file(at: path).configuration.format == .flac)
    try TextFile.write(path, line + String(repeating: "#", count: 65_537 - line.utf8.count))
    var problems = ConfigurationFile.file(at: path).warnings
    #expect(problems.map(\.line) == [0] && problems[0].text.contains("64 KiB"))
    problems = ConfigurationFile.file(at: folder.path).warnings
    #expect(problems.map(\.line) == [0] && problems[0].text.contains("directory"))
  }
}
