import CLinux
import Glibc
package import VoiceIO

/// A process that a test started; ended with its group, by pid, when this is let go.
package final class RigProcess {
  package let pid: Int32
  package let name: String
  /// How it ended, once it has and somebody has looked.
  package private(set) var status: ExitStatus?

  /// Starts it with its standard output and error in a log file, its output elsewhere when given.
  package init(
    _ command: ChildCommand, name: String, log: String, output: Int32? = nil
  ) throws(IOError) {
    let file = open(log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
    if file < 0 { throw .last("open \(log)") }
    defer { close(file) }
    var command = command
    command.descriptors += [(parent: output ?? file, child: 1), (parent: file, child: 2)]
    self.name = name
    pid = try command.spawn()
  }

  deinit { end() }

  package var isRunning: Bool {
    look(0)
    return status == nil
  }

  /// Sends a signal to it alone; nothing once it has ended.
  package func signal(_ number: Int32) {
    if isRunning { kill(pid, number) }
  }

  /// Waits for its end; `nil` when that does not come in time.
  @discardableResult
  package func wait(_ seconds: Double) -> ExitStatus? {
    look(seconds)
    return status
  }

  /// Ends it: a signal first, SIGKILL when the grace is over, in seconds.
  @discardableResult
  package func end(_ signal: Int32 = SIGTERM, grace: Double = 2) -> ExitStatus? {
    guard status == nil else { return status }
    kill(pid, SIGCONT)
    kill(pid, signal)
    look(grace)
    if status == nil {
      kill(-pid, SIGKILL)
      look(5)
    }
    return status
  }

  /// Takes its status if it ends in time, killing what is left of its group first.
  private func look(_ seconds: Double) {
    guard status == nil else { return }
    let descriptor = clinux_pidfd_open(pid)
    guard descriptor >= 0 else { return }
    defer { close(descriptor) }
    let end = EventLoop.now + UInt64(seconds * 1e9)
    while true {
      let now = EventLoop.now
      var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      let left = end > now ? Int32((end - now + 999_999) / 1_000_000) : 0
      let count = poll(&entry, 1, left)
      if count == 0 { return }
      if count < 0, errno == EINTR { continue }
      break
    }
    kill(-pid, SIGKILL)
    var code: Int32 = 0
    if waitpid(pid, &code, WNOHANG) == pid { status = ExitStatus(waitStatus: code) }
  }
}
