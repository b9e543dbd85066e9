/// Cuts a stream of frames into windows of equal time, whatever chunks the frames come in.
///
/// Windows are counted in frames from the first one, so that the same sound gives the same windows; at
/// rates that do not divide, some windows are one frame longer and none drifts.
struct WindowedFrames: Sendable {
  let rate: Int
  let windowsPerSecond: Int
  /// The window that is still filling; `frames` is 0 right after one has closed.
  private(set) var open = FrameSums()
  /// Windows closed so far.
  private(set) var closed = 0
  /// Frames taken so far, in all.
  private(set) var total = 0

  /// `rate` is in frames a second and is read as at least one frame a window.
  init(rate: Int, windowsPerSecond: Int) {
    self.rate = max(rate, windowsPerSecond)
    self.windowsPerSecond = windowsPerSecond
  }

  /// Takes frames and hands over each window that they complete.
  mutating func add(_ chunk: Span<Float>, _ complete: (FrameSums) -> Void) {
    var start = 0
    while start < chunk.count {
      let boundary = (closed + 1) * rate / windowsPerSecond
      let end = min(chunk.count, start + boundary - total)
      open.add(chunk.extracting(start..<end))
      total += end - start
      start = end
      if total == boundary {
        complete(open)
        open = FrameSums()
        closed += 1
      }
    }
  }
}
