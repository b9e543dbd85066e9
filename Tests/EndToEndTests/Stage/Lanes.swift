import Foundation
import Testing

/// Runs each test of a suite on a thread of its own, a few at a time.
///
/// These tests wait for other processes most of the time. On the threads of Swift Concurrency, one
/// a core, they would hold up each other and everything else.
struct LaneTrait: SuiteTrait, TestTrait, TestScoping {
  let isRecursive = true

  func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
  ) async throws {
    try await withTaskExecutorPreference(OwnThread.shared) {
      Lanes.enter()
      defer { Lanes.leave() }
      try await function()
    }
  }
}

extension Trait where Self == LaneTrait {
  static var lane: LaneTrait { LaneTrait() }
}

/// How many situations are played at a time.
private enum Lanes {
  /// A rig keeps some 15 % of a core busy: more lanes than this would not be done sooner.
  private static let places = DispatchSemaphore(
    value: max(4, 2 * ProcessInfo.processInfo.activeProcessorCount))

  static func enter() { places.wait() }
  static func leave() { places.signal() }
}

/// Gives every job a new thread, which may block for as long as it likes.
private final class OwnThread: TaskExecutor {
  static let shared = OwnThread()

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    let executor = asUnownedTaskExecutor()
    Thread.detachNewThread { job.runSynchronously(on: executor) }
  }
}
