import CLinux
import Glibc
import VoiceIO

/// A pipe of a test, closed with this object.
final class Pipe {
  let reader: Int32
  private(set) var writer: Int32

  init() throws {
    var ends: [Int32] = [-1, -1]
    guard clinux_pipe2(&ends, O_CLOEXEC | O_NONBLOCK) == 0 else {
      throw IOError.last("make a pipe")
    }
    reader = ends[0]
    writer = ends[1]
  }

  deinit {
    close(reader)
    closeWriter()
  }

  func closeWriter() {
    if writer >= 0 { close(writer) }
    writer = -1
  }

  func write(_ text: String) {
    let bytes = Array(text.utf8)
    Glibc.write(writer, bytes, bytes.count)
  }

  /// Everything in it now; `nil` when it is empty and a writer is left.
  func read() -> String? {
    var bytes = [UInt8](repeating: 0, count: 4096)
    let count = Glibc.read(reader, &bytes, bytes.count)
    return count < 0 ? nil : String(decoding: bytes[..<count], as: UTF8.self)
  }
}
