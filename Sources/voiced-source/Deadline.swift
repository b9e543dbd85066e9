import Glibc
import Synchronization

/// Ends the process hard when a plugin does not come back.
///
/// Built on `alarm` and signal handlers, because the main thread may be the one that hangs.
enum Deadline {
  /// Exit status of a process that had to be ended this way.
  static let status: Int32 = EX_SOFTWARE

  /// The process ends after so many seconds, unless it has ended by itself.
  static func end(within seconds: UInt32) {
    signal(SIGALRM) { _ in _exit(Deadline.status) }
    alarm(seconds)
  }

  /// Whether SIGTERM or SIGINT has come.
  static var hasBegun: Bool { isTerminating.load(ordering: .relaxed) }

  /// Makes SIGTERM and SIGINT start the deadline and write to an eventfd, for a clean stop.
  ///
  /// Not a signalfd: the mask stays empty, as a plugin's own threads and children expect it.
  static func onTermination(signal descriptor: Int32) {
    terminationEvent.store(descriptor, ordering: .relaxed)
    signal(SIGALRM) { _ in _exit(Deadline.status) }
    for number in [SIGTERM, SIGINT] {
      signal(number) { _ in
        alarm(1)
        isTerminating.store(true, ordering: .relaxed)
        var one: UInt64 = 1
        _ = write(terminationEvent.load(ordering: .relaxed), &one, 8)
      }
    }
  }
}

private let isTerminating = Atomic<Bool>(false)
private let terminationEvent = Atomic<Int32>(-1)
