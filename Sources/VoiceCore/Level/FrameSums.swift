/// Sums over a stretch of one channel's frames, from which its power and its peak come.
///
/// Frames that are not finite count as 0. Adding in several chunks gives the same sums, bit for bit,
/// as adding at once.
package struct FrameSums: Equatable, Sendable {
  package private(set) var frames = 0
  package private(set) var sum = 0.0
  package private(set) var squares = 0.0
  /// Highest absolute frame; full scale is 1, more is possible.
  package private(set) var peak: Float = 0

  package init() {}

  /// Sums that somebody else made, for example the ring's accumulator of one channel.
  ///
  /// Figures that cannot be sums (not finite, negative squares or frames) are read as no frames.
  package init(frames: Int, sum: Double, squares: Double, peak: Float) {
    guard frames > 0, sum.isFinite, squares.isFinite, squares >= 0 else { return }
    self.frames = frames
    self.sum = sum
    self.squares = squares
    self.peak = peak.isFinite ? peak.magnitude : 0
  }

  package mutating func add(_ chunk: Span<Float>) {
    var sum = sum
    var squares = squares
    var peak = peak
    for index in chunk.indices {
      let frame = chunk[index]
      let finite = frame.isFinite ? frame : 0
      let wide = Double(finite)
      sum += wide
      squares += wide * wide
      peak = max(peak, finite.magnitude)
    }
    self.frames += chunk.count
    self.sum = sum
    self.squares = squares
    self.peak = peak
  }

  /// Mean square with the mean removed, because a constant offset is not sound; 0 without frames.
  package var power: Double {
    guard frames > 0 else { return 0 }
    let mean = sum / Double(frames)
    return max(0, squares / Double(frames) - mean * mean)
  }
}
