import VoiceIO

extension EventLoop {
  /// Rests for so many seconds; returns how many rounds the loop made of that.
  ///
  /// One is the rest itself: more would be wake-ups.
  func rounds(in seconds: Double) -> Int {
    let end = EventLoop.now + UInt64(seconds * 1e9)
    var rounds = 0
    while EventLoop.now < end {
      turn(atMost: Double(end - min(end, EventLoop.now)) / 1e9)
      rounds += 1
    }
    return rounds
  }
}
