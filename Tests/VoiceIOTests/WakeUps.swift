import Glibc
import VoiceIO

extension EventLoop {
  /// Rests for so many seconds; returns how often this thread went to sleep meanwhile.
  ///
  /// One is the rest itself: more would be wake-ups.
  func sleeps(in seconds: Double) -> Int {
    let thread: Int32 = 1  // RUSAGE_THREAD
    var before = rusage()
    getrusage(thread, &before)
    turn(atMost: seconds)
    var after = rusage()
    getrusage(thread, &after)
    return after.ru_nvcsw - before.ru_nvcsw
  }
}
