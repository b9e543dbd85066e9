import Glibc
import Synchronization

/// Ends the process hard when a plugin does not come back.
///
/// Built on `alarm` and signal handlers, because the main thread may be the one that hangs.
enum Deadline {
  /// Exit status of a process that had to be ended this way.
  static let status: Int32 = EX_SOFTWARE

  /// Seconds within which a plugin comes back from a call on the main thread.
  private static let patience: UInt32 = 5

  /// The process ends after so many seconds, unless it has ended by itself.
  static func end(within seconds: UInt32) {
    signal(SIGALRM) { _ in _exit(Deadline.status) }
    isEnding.store(true, ordering: .relaxed)
    alarm(seconds)
  }

  /// Calls the plugin on the main thread; the process ends if it does not come back.
  static func bound<Value, Failure>(_ call: () throws(Failure) -> Value) throws(Failure) -> Value {
    // A deadline that runs already counts for this call too.
    guard !isEnding.load(ordering: .relaxed), !hasBegun else { return try call() }
    signal(SIGALRM) { _ in _exit(Deadline.status) }
    alarm(patience)
    defer {
      alarm(0)
      // SIGTERM may have come meanwhile.
      if hasBegun { alarm(1) }
    }
    return try call()
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
        isTerminating.store(true, ordering: .relaxed)
        alarm(1)
        var one: UInt64 = 1
        _ = write(terminationEvent.load(ordering: .relaxed), &one, 8)
      }
    }
  }
}

private let isEnding = Atomic<Bool>(false)
private let isTerminating = Atomic<Bool>(false)
private let terminationEvent = Atomic<Int32>(-1)
