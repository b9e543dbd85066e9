import Glibc
package import VoiceIO

/// Small text files of tests.
package enum TextFile {
  package static func write(_ path: String, _ text: String) throws(IOError) {
    let file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
    if file < 0 { throw .last("write \(path)") }
    defer { close(file) }
    let bytes = Array(text.utf8)
    if Glibc.write(file, bytes, bytes.count) != bytes.count { throw .last("write \(path)") }
  }

  package static func read(_ path: String) -> String {
    String(decoding: ProcessFacts.content(of: path), as: UTF8.self)
  }
}
