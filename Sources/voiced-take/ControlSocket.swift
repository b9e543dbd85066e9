import Glibc
import VoiceCore

/// The socket to the daemon: packets, one at a time.
struct ControlSocket {
  enum Event {
    case message(ControlMessage)
    case nothing
    case closed
  }

  let descriptor: Int32

  /// Waits for a packet, for ever without a deadline (CLOCK_MONOTONIC ns); what is none is `nothing`.
  func wait(until deadline: UInt64?) -> Event {
    var timeout: Int32 = -1
    if let deadline {
      let now = monotonicNow()
      timeout = deadline > now ? Int32(clamping: (deadline - now + 999_999) / 1_000_000) : 0
    }
    var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    guard poll(&entry, 1, timeout) > 0 else { return .nothing }
    var isOver = false
    let packet = [UInt8](unsafeUninitializedCapacity: ControlMessage.limit) { buffer, filled in
      let count = recv(descriptor, buffer.baseAddress, buffer.count, Int32(MSG_DONTWAIT))
      isOver = count == 0 || count < 0 && errno != EAGAIN && errno != EINTR
      filled = max(0, count)
    }
    if isOver { return .closed }
    return ControlMessage(bytes: packet).map { .message($0) } ?? .nothing
  }

  /// `false` when nobody listens any more.
  @discardableResult
  func send(_ message: ControlMessage) -> Bool {
    let bytes = message.bytes
    return Glibc.send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count
  }
}

/// CLOCK_MONOTONIC, in nanoseconds.
func monotonicNow() -> UInt64 {
  var time = timespec()
  clock_gettime(CLOCK_MONOTONIC, &time)
  return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
}
