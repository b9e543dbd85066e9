import CLinux
import Glibc
import VoiceIO

/// Standard output, written without ever waiting for its reader.
///
/// A reader that is slow must not keep the program from reading the bus, where what is not read
/// costs the session's memory. What does not fit waits here; `isBusy` tells senders to hold back.
final class OutputChannel {
  /// Bytes that may wait; a reader that is further behind has stopped reading.
  private static let limit = 256 * 1024

  private let loop: EventLoop
  private let descriptor: Int32
  private let isOwn: Bool
  private let canWatch: Bool
  private var watch: Watch?
  private var watchesEnd = false
  private var pending: [UInt8] = []
  /// Called when nothing waits any more, after something did.
  var onDrained: (() -> Void)?
  /// Called once: when nobody reads any more, or with what keeps it from being written.
  var onGone: ((Failure?) -> Void)?

  init(_ loop: EventLoop, descriptor original: Int32 = STDOUT_FILENO) throws(Failure) {
    self.loop = loop
    signal(SIGPIPE, SIG_IGN)
    var status = stat()
    fstat(original, &status)
    let kind = status.st_mode & S_IFMT
    // Pipes and terminals are opened anew, because "do not wait" belongs to what is opened, which
    // the shell and others share.
    // What is open for reading only must not become writable by that.
    let isWritable = fcntl(original, F_GETFL) & O_ACCMODE != O_RDONLY
    let own =
      isWritable && (kind == S_IFIFO || kind == S_IFCHR)
      ? open("/proc/self/fd/\(original)", O_WRONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY) : -1
    isOwn = own >= 0
    descriptor = isOwn ? own : original
    canWatch = kind == S_IFIFO || kind == S_IFCHR || kind == S_IFSOCK
    guard canWatch else { return }
    // Reading is asked for so that the end of the other side is told; a terminal would tell keys.
    watchesEnd = kind != S_IFCHR
    let handler: (Bool, Bool) -> Void = { [weak self] _, writable in self?.ready(writable) }
    do throws(IOError) {
      watch = try loop.watch(descriptor, read: watchesEnd, write: false, handler)
    } catch {
      // Devices like /dev/null cannot be waited for, and never make anybody wait.
      if error.code != EPERM { throw Failure(.file, error.sentence) }
    }
  }

  deinit {
    watch?.cancel()
    if isOwn { close(descriptor) }
  }

  /// Something still waits for the reader.
  var isBusy: Bool { !pending.isEmpty }

  /// Sends the text now or as soon as the reader takes it; `false` when too much waits already.
  @discardableResult
  func send(_ text: String) -> Bool {
    guard pending.count <= Self.limit else { return false }
    pending += text.utf8
    flush()
    return true
  }

  private func ready(_ writable: Bool) {
    var state = pollfd(fd: descriptor, events: 0, revents: 0)
    let broken = Int16(POLLERR | POLLHUP)
    if poll(&state, 1, 0) > 0, state.revents & broken != 0 { return end(EPIPE) }
    guard writable, isBusy else { return }
    flush()
    if !isBusy { onDrained?() }
  }

  private func flush() {
    while !pending.isEmpty {
      // Where waiting cannot be switched off, only what surely fits is written.
      var state = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
      if !isOwn, watch != nil, poll(&state, 1, 0) == 0 { break }
      let count = isOwn ? pending.count : min(pending.count, 4096)
      let written = pending.withUnsafeBytes { write(descriptor, $0.baseAddress, count) }
      if written > 0 {
        pending.removeFirst(written)
      } else if errno == EAGAIN {
        break
      } else if errno != EINTR {
        return end(errno)
      }
    }
    watch?.update(read: watchesEnd, write: isBusy)
  }

  private func end(_ code: Int32) {
    watch?.cancel()
    watch = nil
    pending = []
    guard let gone = onGone else { return }
    onGone = nil
    // A terminal whose window was closed says EIO.
    let hasLeft = code == EPIPE || (code == EIO && isatty(descriptor) == 1)
    // From the loop: a loop that does not run yet could not be stopped.
    loop.later { gone(hasLeft ? nil : .output(code)) }
  }
}
