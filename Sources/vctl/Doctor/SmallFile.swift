import Glibc

/// Files of a few lines.
enum SmallFile {
  /// Bytes that are read at most; what the doctor reads is far smaller.
  private static let limit = 64 * 1024

  /// The file's text, repaired where it is not UTF-8; `nil` when it cannot be read.
  static func text(_ path: String) -> String? {
    guard let file = fopen(path, "re") else { return nil }
    defer { fclose(file) }
    var bytes = [UInt8](repeating: 0, count: limit)
    let count = fread(&bytes, 1, limit, file)
    return String(decoding: bytes[..<count], as: UTF8.self)
  }
}
