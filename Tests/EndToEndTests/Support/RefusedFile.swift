import Glibc
import Testing
import VoiceTestKit

/// What the file source must refuse, with the error and a word of the reason.
struct RefusedFile: Sendable, CustomTestStringConvertible {
  let testDescription: String
  let code: Int32
  let reason: String
  var options = ""
  let make: @Sendable (FileMaker) throws -> String

  init(
    _ name: String, _ reason: String, code: Int32 = -EILSEQ, options: String = "",
    _ make: @escaping @Sendable (FileMaker) throws -> String
  ) {
    testDescription = name
    self.code = code
    self.reason = reason
    self.options = options
    self.make = make
  }

  static let all = paths + headers + contents + badOptions

  private static let paths = [
    RefusedFile("nothing there", "does not exist", code: -ENOENT) { $0.path("missing.wav") },
    RefusedFile("a relative path", "absolute path", code: -ENOENT) { _ in "a.wav" },
    RefusedFile("no path", "absolute path", code: -ENOENT) { _ in "" },
    RefusedFile("a folder", "not a regular file") { $0.folder.path },
    RefusedFile("a device", "not a regular file") { _ in "/dev/zero" },
    RefusedFile("a FIFO, without waiting for its writer", "not a regular file") {
      mkfifo($0.path("fifo"), 0o600)
      return $0.path("fifo")
    },
  ]

  private static let headers = [
    RefusedFile("an empty file", "empty") { try $0.bytes("a.wav", []) },
    RefusedFile("20 bytes of a header", "not audio") {
      try $0.bytes("a.wav", Array(RiffFile.plain.bytes[..<20]))
    },
    RefusedFile("an odd chunk without its pad byte", "damaged") {
      try $0.bytes(
        "a.wav",
        RiffFile(
          [("fmt ", RiffFile.format()), ("JUNK", [1, 2, 3]), ("data", RiffFile.samples)],
          padded: false
        ).bytes)
    },
    RefusedFile("a rate of 0", "damaged") {
      try $0.bytes(
        "a.wav",
        RiffFile([("fmt ", RiffFile.format(rate: 0)), ("data", RiffFile.samples)]).bytes)
    },
    RefusedFile("no channels", "decoded") {
      try $0.bytes(
        "a.wav",
        RiffFile([("fmt ", RiffFile.format(channels: 0)), ("data", RiffFile.samples)]).bytes)
    },
    RefusedFile("m4a without its index", "unfinished") {
      let whole = try $0.ffmpeg("b.m4a", "-c:a", "aac")
      let content = ProcessFacts.content(of: whole)
      let word = Array("moov".utf8)
      let index = content.indices.dropLast(4).first { Array(content[$0..<$0 + 4]) == word } ?? 0
      return try $0.part("a.m4a", of: whole) { _ in 0..<index - 4 }
    },
  ]

  private static let contents = [
    RefusedFile("text with the name of an MP3", "not audio") {
      try $0.bytes("a.mp3", Array(String(repeating: "No sound in here.\n", count: 500).utf8))
    },
    RefusedFile("random bytes", "not audio") {
      var random = LinearRandom(state: 4)
      return try $0.bytes(
        "a.mp3", (0..<300_000).map { _ in UInt8.random(in: 0...255, using: &random) })
    },
    RefusedFile("raw mu-law without a header", "not audio") {
      try $0.ffmpeg("a.ul", "-ar", "8000", "-f", "mulaw")
    },
    RefusedFile("a film without sound", "no audio stream") {
      try $0.ffmpeg("a.mp4", from: ["-f", "lavfi", "-i", "testsrc=d=1:s=64x64"], "-an")
    },
    RefusedFile("a picture", "no audio") {
      try $0.ffmpeg("a.png", from: ["-f", "lavfi", "-i", "testsrc"], "-frames:v", "1")
    },
  ]

  private static let badOptions = ["start=soon", "start=-1", "start=nan", "start=", "loop=2"].map {
    RefusedFile($0, "must be", code: -EINVAL, options: $0 + "\n") { try $0.wav("a.wav") }
  }
}

/// The same bytes on every run.
private struct LinearRandom: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return state ^ state >> 29
  }
}
