import Glibc
import VoiceIO
import VoiceTestKit

/// Makes audio files, sound and broken ones, in a folder that goes with it.
///
/// The material of all is one second: 0.4 s of silence, 0.3 s of 1 kHz at 0.25, 0.3 s of silence.
struct FileMaker {
  let folder: TemporaryFolder

  static let material =
    Sound.silence(0.4) + Sound.sine(0.3, amplitude: 0.25, hertz: 1000) + Sound.silence(0.3)
  /// Where the tone begins, and where it is steady, in frames at 48 kHz.
  static let onset = 19_200
  static let steady = 21_600..<31_200

  init() throws { folder = try TemporaryFolder() }

  func path(_ name: String) -> String { folder.path + "/" + name }

  /// The material as a float WAV, each channel scaled; 0 is a silent one.
  func wav(_ name: String, gains: [Float] = [1], rate: Int = Sound.rate) throws -> String {
    try wav(name, channels: gains.map { gain in Self.material.map { $0 * gain } }, rate: rate)
  }

  func wav(_ name: String, channels: [[Float]], rate: Int = Sound.rate) throws -> String {
    try WaveFile.write(path(name), channels: channels, rate: rate)
    return path(name)
  }

  /// What FFmpeg makes of the material with these options.
  func ffmpeg(_ name: String, _ options: String...) throws -> String {
    try run(["-i", wav("base-\(name).wav")] + options + [path(name)])
    return path(name)
  }

  /// What FFmpeg makes of other inputs than the material.
  func ffmpeg(_ name: String, from inputs: [String], _ options: String...) throws -> String {
    try run(inputs + options + [path(name)])
    return path(name)
  }

  private func run(_ arguments: [String]) throws {
    let tool = try runTool(
      "ffmpeg", ["-y", "-v", "error", "-nostdin"] + arguments, timeout: 60)
    guard tool.isSuccess else { throw RigFailure("ffmpeg \(arguments): \(tool.errorText)") }
  }

  func bytes(_ name: String, _ content: [UInt8]) throws -> String {
    let file = open(path(name), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
    defer { close(file) }
    guard write(file, content, content.count) == content.count else {
      throw IOError.last("write \(path(name))")
    }
    return path(name)
  }

  /// Lengthens a file by zeros, which take no room, and then by bytes.
  func append(_ content: [UInt8], to path: String, after zeros: Int) throws {
    let file = open(path, O_WRONLY | O_CLOEXEC)
    defer { close(file) }
    let end = lseek(file, 0, SEEK_END)
    guard pwrite(file, content, content.count, end + zeros) == content.count else {
      throw IOError.last("write \(path)")
    }
  }

  /// Another file's first part, or what is left of it.
  func part(_ name: String, of file: String, _ range: (Int) -> Range<Int>) throws -> String {
    let content = ProcessFacts.content(of: file)
    return try bytes(name, Array(content[range(content.count)]))
  }

  /// Another file with bytes written over at a place.
  func patched(_ name: String, of file: String, at place: Int, _ patch: [UInt8]) throws -> String {
    var content = ProcessFacts.content(of: file)
    content.replaceSubrange(place..<place + patch.count, with: patch)
    return try bytes(name, content)
  }

  /// Files one after the other.
  func joined(_ name: String, _ files: String...) throws -> String {
    try bytes(name, files.flatMap { ProcessFacts.content(of: $0) })
  }
}
