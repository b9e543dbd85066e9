import CLinux
import Glibc
package import VoiceIO

/// A process that a test started; ended with its group, by pid, when this is let go.
package final class RigProcess {
  package let pid: Int32
  /// What messages call it: the program's path unless something shorter was given.
  package let name: String
  /// How it ended, once it has and somebody has looked.
  package private(set) var status: VoiceIO.ExitStatus?

  /// Starts it; descriptors that are not given go to `/dev/null`.
  package init(
    _ command: ChildCommand, name: String? = nil, output: Int32? = nil, errors: Int32? = nil
  ) throws(IOError) {
    self.name = name ?? command.path
    let nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC)
    if nowhere < 0 { throw .last("open /dev/null") }
    defer { close(nowhere) }
    var command = command
    command.descriptors += [
      (parent: output ?? nowhere, child: 1), (parent: errors ?? nowhere, child: 2),
    ]
    pid = try command.spawn()
    Keeper.shared.tell("group", "\(pid)")
  }

  /// Starts it with a log file for what it says, which it shares with whoever else has it.
  package convenience init(
    _ command: ChildCommand, name: String? = nil, log: String, output: Int32? = nil
  ) throws(IOError) {
    let file = open(log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
    if file < 0 { throw .last("open \(log)") }
    defer { close(file) }
    try self.init(command, name: name, output: output ?? file, errors: file)
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

  /// Lets it run before everything that is not real-time work, where this user may ask for that.
  ///
  /// A player fills its buffers on its main thread: on a busy machine it would be late, and silence
  /// would be recorded that no microphone makes.
  package func hurry() {
    var parameters = sched_param()
    parameters.sched_priority = 10
    sched_setscheduler(pid, SCHED_FIFO, &parameters)
  }

  /// Waits for its end; `nil` when that does not come within so many seconds.
  @discardableResult
  package func wait(_ seconds: Double) -> VoiceIO.ExitStatus? {
    look(seconds)
    return status
  }

  /// Ends it: a signal first, SIGKILL when the grace is over, in seconds.
  @discardableResult
  package func end(_ signal: Int32 = SIGTERM, grace: Double = 2) -> VoiceIO.ExitStatus? {
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
      if count > 0 { break }
    }
    kill(-pid, SIGKILL)
    var code: Int32 = 0
    guard waitpid(pid, &code, WNOHANG) == pid else { return }
    status = VoiceIO.ExitStatus(waitStatus: code)
    Keeper.shared.tell("ended", "\(pid)")
  }
}
