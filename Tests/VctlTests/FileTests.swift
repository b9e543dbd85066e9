import Foundation
import Testing
import VoiceCore
import VoiceIO

@testable import vctl

@Suite("Recordings and where they go")
struct FileTests {
  /// A folder of the test's own, removed with it.
  private final class Folder {
    let path: String
    init() throws {
      let url = FileManager.default.temporaryDirectory.appendingPathComponent(
        "vctl-\(UUID().uuidString)")
      try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
      path = url.path
    }
    deinit { try? FileManager.default.removeItem(atPath: path) }
    func put(_ name: String, _ text: String) throws -> String {
      try text.write(toFile: path + "/" + name, atomically: true, encoding: .utf8)
      return path + "/" + name
    }
    func text(_ name: String) -> String? {
      try? String(contentsOfFile: path + "/" + name, encoding: .utf8)
    }
  }

  @Test("a file is moved, and never over another one")
  func move() throws {
    let folder = try Folder()
    let first = try folder.put("first", "1")
    try FileMove.move(first, to: folder.path + "/second", replacing: false)
    #expect(folder.text("first") == nil && folder.text("second") == "1")
    let third = try folder.put("third", "3")
    #expect(throws: FileMoveError.exists) {
      try FileMove.move(third, to: folder.path + "/second", replacing: false)
    }
    #expect(folder.text("second") == "1" && folder.text("third") == "3")
    try FileMove.move(third, to: folder.path + "/second", replacing: true)
    #expect(folder.text("second") == "3" && folder.text("third") == nil)
  }

  @Test("a file moves to another file system too")
  func otherFileSystem() throws {
    let folder = try Folder()
    let target = "/dev/shm/vctl-\(UUID().uuidString)"
    defer { unlink(target) }
    for replacing in [false, true] {
      let source = try folder.put("source", "sound \(replacing)")
      try FileMove.move(source, to: target, replacing: replacing)
      #expect(folder.text("source") == nil)
      #expect(try String(contentsOfFile: target, encoding: .utf8) == "sound \(replacing)")
    }
    let source = try folder.put("source", "other")
    #expect(throws: FileMoveError.exists) {
      try FileMove.move(source, to: target, replacing: false)
    }
    #expect(folder.text("source") == "other")
  }

  @Test("what cannot be written is said before anything is recorded")
  func check() throws {
    let folder = try Folder()
    #expect(throws: FileMoveError.isFolder) {
      try FileMove.check(folder.path, replacing: true)
    }
    #expect(throws: FileMoveError.system(ENOENT)) {
      try FileMove.check(folder.path + "/missing/a.wav", replacing: false)
    }
  }

  @Test(
    "addresses and paths are the same file",
    arguments: ["/tmp/a.wav", "/tmp/with blank & 100%.m4a", "/tmp/ä/日本.ogg", "/a+b=c#d?e"])
  func addresses(path: String) {
    let uri = FileURI.uri(path)
    #expect(FileURI.path(uri) == path)
    #expect(URL(string: uri)?.path == path)
  }

  @Test("what is no local file has no path")
  func noPath() {
    for uri in ["", "http://x/y", "file:relative", "file://host/x", "file:///a%", "file:///a%2"] {
      #expect(FileURI.path(uri) == nil, "\(uri)")
    }
    #expect(FileURI.path("file:///a%00b") == nil && FileURI.path("file:///a%zz") == nil)
  }

  @Test("the format follows the file's ending, unless it is named")
  func format() throws {
    let formats = ["a.m4a": "m4a", "b.OGG": "opus", "c.opus": "opus", "d.flac": "flac"]
    for (name, format) in formats {
      let line = try Invocation(["record", "-o", name])
      #expect(try RecordCommand.format(of: line)?.rawValue == format)
    }
    #expect(
      try RecordCommand.format(of: Invocation(["record", "-o", "x/e.wav"])) == .wav16k)
    #expect(
      try RecordCommand.format(of: Invocation(["record", "-o", "f.mp3", "--format", "wav"])) == .wav
    )
    #expect(try RecordCommand.format(of: Invocation(["record", "-o", "x.d/plain"])) == nil)
    #expect(throws: Failure.self) {
      try RecordCommand.format(of: Invocation(["record", "-o", "f.mp3"]))
    }
  }
}
