import Glibc
import VoiceCore

/// Where control messages go: packets to the daemon, or lines to a person.
///
/// Sending is one system call, so any thread may do it, an audio thread aside.
enum Outlet: Sendable {
  case packets(Int32)
  case lines(Int32)

  /// Descriptor 3 when it is a socket, else a copy of standard output, taken before it is given up.
  static func forListing() -> Outlet {
    var status = stat()
    if fstat(3, &status) == 0, status.st_mode & S_IFMT == S_IFSOCK { return .packets(3) }
    return .lines(dup2(STDOUT_FILENO, 3))
  }

  /// A message that the peer has no room for is dropped: it does not read, and will end us.
  func send(_ message: ControlMessage) {
    switch self {
    case .packets(let descriptor):
      let bytes = message.bytes
      while Glibc.send(
        descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL | MSG_DONTWAIT)) < 0,
        errno == EINTR
      {}
    case .lines(let descriptor):
      let fields = message.fields.sorted { $0.key < $1.key }.map { " \($0.key)=\"\($0.value)\"" }
      let bytes = Array((message.word + fields.joined() + "\n").utf8)
      var done = 0
      while done < bytes.count {
        let count = bytes.withUnsafeBytes {
          write(descriptor, $0.baseAddress?.advanced(by: done), bytes.count - done)
        }
        guard count > 0 || errno == EINTR else { return }
        done += max(0, count)
      }
    }
  }

  func send(_ report: SourceReport) { send(report.message) }
}
