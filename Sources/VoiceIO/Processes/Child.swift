import Glibc

/// A running child process, and its process group.
///
/// It is ended by its owner or ends by itself; letting go of this object does neither.
package final class Child {
  package let pid: Int32
  package private(set) var isRunning = true
  private let killer: LoopTimer

  init(pid: Int32, loop: EventLoop) {
    self.pid = pid
    killer = loop.timer { kill(-pid, SIGKILL) }
  }

  /// Sends a signal to the child's process group; nothing once it has ended.
  package func signal(_ number: Int32) {
    if isRunning { kill(-pid, number) }
  }

  /// Asks it to end now (`SIGTERM`) and ends it (`SIGKILL`) when the grace is over, in seconds.
  ///
  /// A stopped one is continued, so that it can hear. A second call does not lengthen the grace.
  package func end(grace seconds: Double) {
    guard isRunning else { return }
    signal(SIGTERM)
    signal(SIGCONT)
    if !killer.isArmed { killer.start(after: seconds) }
  }

  /// It is being reaped: its pid must not be used from now on.
  func markEnded() {
    isRunning = false
    killer.cancel()
  }
}
