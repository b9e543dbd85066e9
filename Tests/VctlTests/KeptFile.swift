import Foundation
import Testing

/// A file of the repository that is made by the program and kept beside it.
enum KeptFile {
  /// The repository's folder.
  static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()

  static func text(_ path: String) -> String? {
    try? String(contentsOf: root.appendingPathComponent(path), encoding: .utf8)
  }

  /// Expects the file to be this text; with `VOICED_UPDATE=1` writes it instead.
  static func expect(_ path: String, toBe text: String) throws {
    if ProcessInfo.processInfo.environment["VOICED_UPDATE"] == "1" {
      let file = root.appendingPathComponent(path)
      try FileManager.default.createDirectory(
        at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
      try text.write(to: file, atomically: true, encoding: .utf8)
    }
    let isSame = self.text(path) == text
    #expect(isSame, "\(path) is out of date: VOICED_UPDATE=1 swift test --filter VctlTests")
  }
}
