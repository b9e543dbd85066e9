import Glibc
package import VoiceIO

/// The built daemon, running on a private desktop.
package final class DaemonUnderTest {
  /// Folder of the products: the test program's own.
  package static var productFolder: String {
    let path = ProcessFacts.target(ofLink: "/proc/self/exe")
    return path.split(separator: "/").dropLast().reduce("") { $0 + "/" + $1 }
  }

  package let desktop: PrivateDesktop
  package let process: RigProcess
  package var pid: Int32 { process.pid }
  /// Everything it was seen to start, to be ended with it.
  private var seen: Set<Int32> = []

  /// Starts it and waits until it owns its name, at most `deadline` seconds.
  ///
  /// `wrapper` are words before its own, of a program that becomes it.
  package init(
    _ desktop: PrivateDesktop, wrapper: [String] = [], program: String = "voiced",
    arguments: [String] = [], environment: [String: String] = [:], deadline: Double = 5
  ) throws {
    self.desktop = desktop
    let client = try BusClient(desktop.busAddress)
    let words = wrapper + ["\(Self.productFolder)/\(program)"] + arguments
    process = try RigProcess(
      ChildCommand(
        path: words[0], arguments: Array(words.dropFirst()),
        environment: desktop.environment.merging(environment) { $1 }),
      log: desktop.log("voiced"))
    var isOwned = false
    _ = try waitUntil(deadline, step: 0.001) {
      isOwned = try client.waitForOwner(within: 0)
      return isOwned || !process.isRunning
    }
    guard isOwned else {
      throw RigFailure("the daemon did not take its name: \(log)")
    }
  }

  deinit {
    process.end(SIGTERM, grace: 6)
    endLeftOvers()
  }

  /// What it has said.
  package var log: String { desktop.logText("voiced") }

  /// Processes it has started that live, and theirs.
  package var children: [ProcessFacts] { ProcessFacts(pid).descendants }

  package var facts: ProcessFacts { ProcessFacts(pid) }

  /// Waits for a child whose program has this name and does its main job: a process that only
  /// describes a plugin is gone in a moment.
  package func child(_ program: String, within deadline: Double = 10) throws -> ProcessFacts {
    var found: ProcessFacts?
    _ = waitUntil(deadline) {
      found = children.first {
        $0.command.first?.hasSuffix("/" + program) == true
          && $0.command.dropFirst().first?.hasPrefix("--") != true
      }
      return found != nil
    }
    guard let found else { throw RigFailure("the daemon has no child \(program)") }
    return found
  }

  /// Waits until it has no child.
  package func isAtRest(within deadline: Double = 10) -> Bool {
    waitUntil(deadline) { children.isEmpty }
  }

  /// Asks it to end; `nil` when it does not within so many seconds.
  @discardableResult
  package func stop(_ signal: Int32 = SIGTERM, within deadline: Double = 6) -> VoiceIO.ExitStatus? {
    process.signal(signal)
    return process.wait(deadline)
  }

  /// Kills it as a crash does; its children are left to notice.
  package func kill() { stop(SIGKILL) }

  /// Kills processes of this desktop that outlived the daemon that started them.
  ///
  /// They are known by their environment, which names the desktop's own folder. Returns how many.
  @discardableResult
  package func endLeftOvers() -> Int {
    let mark = "XDG_RUNTIME_DIR=" + desktop.runtime
    let names = ["voiced-source", "voiced-take", "voiced"]
    let left = ProcessFacts.all.filter { process in
      guard process.pid != getpid(), process.isAlive, let program = process.command.first,
        names.contains(where: { program == $0 || program.hasSuffix("/" + $0) })
      else { return false }
      return process.environment.contains(mark)
    }
    for process in left { Glibc.kill(process.pid, SIGKILL) }
    return left.count
  }
}
