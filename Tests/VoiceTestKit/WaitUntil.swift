import Glibc
package import VoiceIO

/// Looks again and again until the condition holds; false when it does not within the deadline.
///
/// For what cannot be waited for by an event, such as another process's state. Times in seconds.
package func waitUntil(
  _ deadline: Double, step: Double = 0.005, _ condition: () throws -> Bool
) rethrows -> Bool {
  let end = EventLoop.now + UInt64(max(0, deadline) * 1e9)
  while true {
    if try condition() { return true }
    if EventLoop.now >= end { return false }
    poll(nil, 0, Int32(step * 1000))
  }
}

extension EventLoop {
  /// Serves until the condition holds; false when it does not within the deadline, in seconds.
  ///
  /// The condition is looked at every 20 ms at least, for it may be about other things than events.
  package func turn(within deadline: Double, until condition: () throws -> Bool) rethrows -> Bool {
    let end = EventLoop.now + UInt64(max(0, deadline) * 1e9)
    while true {
      if try condition() { return true }
      let now = EventLoop.now
      if now >= end { return false }
      turn(atMost: min(0.02, Double(end - now) / 1e9))
    }
  }
}
