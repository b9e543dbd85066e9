import CLinux
import Glibc

/// Starts children and tells when they end; what a child leaves behind is found and ended too.
///
/// A child's end comes from its own pidfd. Processes that outlive the child that started them
/// ("strays") become children of this process, which is their subreaper, and are reaped on SIGCHLD.
package final class Children {
  private struct Entry {
    let child: Child
    let pidfd: Int32
    let watch: Watch
    let onExit: (ExitStatus) -> Void
  }

  private let loop: EventLoop
  private var entries: [Int32: Entry] = [:]
  private var signals: Signals?
  /// Strays that were sent a SIGKILL and are not reaped yet.
  private var condemned: Set<Int32> = []

  /// `adoptsStrays: false` leaves foreign children of the process alone: for a program that has
  /// children from elsewhere too, as a test has.
  package init(loop: EventLoop, adoptsStrays: Bool = true) throws(IOError) {
    self.loop = loop
    guard adoptsStrays else { return }
    clinux_prctl(PR_SET_CHILD_SUBREAPER, 1)
    signals = try Signals(loop: loop, [SIGCHLD]) { [weak self] _ in self?.reapAll() }
  }

  deinit {
    for entry in entries.values {
      entry.watch.cancel()
      close(entry.pidfd)
    }
  }

  /// Children that have not ended.
  package var running: [Child] { entries.values.map(\.child) }

  /// Starts a child; `onExit` is called once, from the loop, when it has been reaped.
  ///
  /// What is left of its process group is killed at that moment.
  package func spawn(
    _ command: ChildCommand, onExit: @escaping (ExitStatus) -> Void
  ) throws(IOError) -> Child {
    let pid = try command.spawn()
    let pidfd = clinux_pidfd_open(pid)
    do throws(IOError) {
      if pidfd < 0 { throw .last("watch \(command.path)") }
      let watch = try loop.watch(pidfd, read: true, write: false) { [weak self] _, _ in
        self?.reap(pid)
      }
      let child = Child(pid: pid, loop: loop)
      entries[pid] = Entry(child: child, pidfd: pidfd, watch: watch, onExit: onExit)
      return child
    } catch {
      if pidfd >= 0 { close(pidfd) }
      kill(-pid, SIGKILL)
      waitpid(pid, nil, 0)
      throw error
    }
  }

  /// Kills every direct child that was not started here, and, as they surface, theirs.
  package func killStrays() {
    for pid in Self.directChildren where entries[pid] == nil {
      condemned.insert(pid)
      kill(pid, SIGKILL)
    }
  }

  /// Takes the status of one of ours that has ended.
  ///
  /// Its group is killed while the pid is still held by the dead child and cannot be another's.
  private func reap(_ pid: Int32) {
    guard let entry = entries[pid] else { return }
    kill(-pid, SIGKILL)
    var status: Int32 = 0
    guard waitpid(pid, &status, WNOHANG) == pid else { return }
    entries[pid] = nil
    entry.watch.cancel()
    close(entry.pidfd)
    entry.child.markEnded()
    entry.onExit(ExitStatus(waitStatus: status))
  }

  /// Reaps whatever has ended, ours or not.
  private func reapAll() {
    var killsMore = false
    while let pid = Self.endedChild {
      if entries[pid] != nil {
        reap(pid)
      } else {
        waitpid(pid, nil, WNOHANG)
        if condemned.remove(pid) != nil { killsMore = true }
      }
    }
    if killsMore { killStrays() }
  }

  /// A child that has ended and is not reaped.
  private static var endedChild: Int32? {
    var info = siginfo_t()
    guard waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) == 0 else { return nil }
    let pid = info._sifields._sigchld.si_pid
    return pid > 0 ? pid : nil
  }

  private static var directChildren: [Int32] {
    let descriptor = open("/proc/self/task/\(getpid())/children", O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return [] }
    defer { close(descriptor) }
    var text: [UInt8] = []
    let size = 4096
    while true {
      let part = [UInt8](unsafeUninitializedCapacity: size) { buffer, count in
        count = max(0, read(descriptor, buffer.baseAddress, size))
      }
      if part.isEmpty { break }
      text += part
    }
    return text.split(separator: UInt8(ascii: " ")).compactMap {
      Int32(String(decoding: $0, as: UTF8.self))
    }
  }
}
