import CLinux
import Glibc
import VoiceIO

/// A message bus of a test's own, ended when this is let go.
package final class PrivateBus {
  package let desktop: PrivateDesktop
  package let process: RigProcess
  /// Its D-Bus address.
  package let address: String

  /// Starts the reference daemon and returns when it listens: on the desktop's session address, or
  /// on another one.
  package init(
    _ desktop: PrivateDesktop? = nil, address: String? = nil, log: String = "bus"
  ) throws {
    let desktop = try desktop ?? PrivateDesktop()
    self.desktop = desktop
    self.address = address ?? desktop.busAddress
    var pipe: [Int32] = [-1, -1]
    guard clinux_pipe2(&pipe, O_CLOEXEC) == 0 else { throw IOError.last("make a pipe") }
    defer { close(pipe[0]) }
    let command = ChildCommand(
      path: "dbus-daemon",
      arguments: [
        "--session", "--nofork", "--nopidfile", "--address=\(self.address)",
        "--print-address=1",
      ], environment: desktop.environment)
    do {
      defer { close(pipe[1]) }
      process = try RigProcess(command, log: desktop.log(log), output: pipe[1])
    }
    // It prints its address once it listens.
    var entry = pollfd(fd: pipe[0], events: Int16(POLLIN), revents: 0)
    var byte: UInt8 = 0
    guard poll(&entry, 1, 5000) == 1, read(pipe[0], &byte, 1) == 1 else {
      throw RigFailure("the private bus did not start: \(desktop.logText(log))")
    }
  }
}
