import CLinux
import Glibc
package import VoiceCore

/// One end of the packet socket between the daemon and a child.
///
/// Nothing waits in it: a packet that the peer's socket has no room for is refused, and what comes
/// in is read a bounded number of packets a wake-up.
package final class ControlChannel {
  /// Packets read in one wake-up, so that a child that floods cannot hold the loop.
  private static let packetsPerWakeUp = 64

  /// -1 once closed.
  private var descriptor: Int32
  private var watch: Watch?
  private let onMessage: (ControlMessage) -> Void
  private let onClose: () -> Void

  /// Two connected ends, both closed on exec: `theirs` is for a child, to be closed here after.
  package static func pair() throws(IOError) -> (ours: Int32, theirs: Int32) {
    var ends: (Int32, Int32) = (-1, -1)
    let type = Int32(SOCK_SEQPACKET.rawValue | SOCK_CLOEXEC.rawValue)
    let code = withUnsafeMutableBytes(of: &ends) {
      socketpair(AF_UNIX, type, 0, $0.assumingMemoryBound(to: Int32.self).baseAddress)
    }
    if code != 0 { throw .last("make a control socket") }
    return (ends.0, ends.1)
  }

  /// Takes over the descriptor and serves it until it is closed from either side.
  ///
  /// `onMessage` hears every packet that is a message, others are dropped. `onClose` is called once,
  /// when the peer has gone, after its last message, and not after a `close()` of ours.
  package init(
    loop: EventLoop, descriptor: Int32, onMessage: @escaping (ControlMessage) -> Void,
    onClose: @escaping () -> Void
  ) throws(IOError) {
    self.descriptor = descriptor
    self.onMessage = onMessage
    self.onClose = onClose
    if clinux_set_nonblocking(descriptor) < 0 { throw .last("use the control socket") }
    watch = try loop.watch(descriptor, read: true, write: false) { [weak self] _, _ in
      self?.receive()
    }
  }

  deinit { close() }

  package var isOpen: Bool { descriptor >= 0 }

  /// Sends one message; false when it is too long, or the peer does not read or is gone.
  @discardableResult
  package func send(_ message: ControlMessage) -> Bool {
    let bytes = message.bytes
    guard isOpen, bytes.count <= ControlMessage.limit else { return false }
    while true {
      let flags = Int32(MSG_NOSIGNAL | MSG_DONTWAIT)
      let count = Glibc.send(descriptor, bytes, bytes.count, flags)
      if count < 0, errno == EINTR { continue }
      return count == bytes.count
    }
  }

  /// Reads what the peer has said before it went.
  package func drain() {
    for _ in 0..<Self.packetsPerWakeUp where isOpen { receive() }
  }

  package func close() {
    guard isOpen else { return }
    watch?.cancel()
    watch = nil
    Glibc.close(descriptor)
    descriptor = -1
  }

  private func receive() {
    withUnsafeTemporaryAllocation(byteCount: ControlMessage.limit, alignment: 1) { buffer in
      for _ in 0..<Self.packetsPerWakeUp {
        guard isOpen else { return }
        let flags = Int32(MSG_TRUNC | MSG_DONTWAIT)
        let count = recv(descriptor, buffer.baseAddress, buffer.count, flags)
        if count < 0 {
          // A peer that went with packets of ours unread leaves its own last ones behind this error.
          if errno == EINTR || errno == ECONNRESET { continue }
          if errno == EAGAIN { return }
        }
        guard count > 0 else {
          close()
          onClose()
          return
        }
        // MSG_TRUNC gives the packet's real length: a longer one has lost its end.
        guard count <= buffer.count else { continue }
        if let message = ControlMessage(bytes: buffer[..<count]) { onMessage(message) }
      }
    }
  }
}
