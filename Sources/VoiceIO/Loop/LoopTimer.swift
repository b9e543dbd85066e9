/// A timer of an event loop: fires once, or again and again.
///
/// The loop keeps it while it is armed; starting it again moves it.
package final class LoopTimer {
  private weak var loop: EventLoop?
  private let handler: () -> Void
  /// When it fires next, `CLOCK_MONOTONIC` nanoseconds; meaningful while armed.
  private(set) var due: UInt64 = 0
  /// Nanoseconds from one time to the next; 0 for a timer that fires once.
  private var interval: UInt64 = 0
  package private(set) var isArmed = false

  init(loop: EventLoop, handler: @escaping () -> Void) {
    self.loop = loop
    self.handler = handler
  }

  /// Fires once, that many seconds from now.
  package func start(after seconds: Double) {
    start(at: Self.later(than: EventLoop.now, by: seconds))
  }

  /// Fires once, at a time of `CLOCK_MONOTONIC` in nanoseconds; a past one is due at once.
  package func start(at time: UInt64) { arm(at: time, interval: 0) }

  /// Fires every so many seconds, the first time one interval from now.
  ///
  /// It keeps its pace: a late one does not move the next, and missed ones are not made up for.
  package func `repeat`(every seconds: Double) {
    let now = EventLoop.now
    let first = Self.later(than: now, by: seconds)
    arm(at: first, interval: max(1, first - now))
  }

  package func cancel() {
    guard isArmed else { return }
    isArmed = false
    loop?.remove(self)
  }

  private func arm(at time: UInt64, interval: UInt64) {
    cancel()
    guard let loop else { return }
    // A past time would go before everything that is due already.
    due = max(time, EventLoop.now)
    self.interval = interval
    isArmed = true
    loop.insert(self)
  }

  /// The loop has taken it off its list.
  func fire(now: UInt64) {
    if interval > 0, let loop {
      due += ((now - due) / interval + 1) * interval
      loop.insert(self)
    } else {
      isArmed = false
    }
    handler()
  }

  /// A time so many seconds later; never before `time`, and the end of time for what is too far.
  static func later(than time: UInt64, by seconds: Double) -> UInt64 {
    let span = seconds * 1e9
    guard span > 0 else { return time }
    guard span < 9e18 else { return .max }
    return time + UInt64(span)
  }
}
