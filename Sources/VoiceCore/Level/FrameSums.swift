/// Sums over a stretch of one channel's frames, from which its power and its peak come.
///
/// Frames that are not finite count as 0. Adding in several chunks gives the same sums, bit for bit,
/// as adding at once. Four sums run side by side, three times as fast as one: frame n counts in sum
/// n mod 4, whatever chunk it comes in.
package struct FrameSums: Equatable, Sendable {
  package private(set) var frames = 0
  private var sums = SIMD4<Double>()
  private var squareSums = SIMD4<Double>()
  /// Highest absolute frame; full scale is 1, more is possible.
  package private(set) var peak: Float = 0

  package var sum: Double { sums.sum() }
  package var squares: Double { squareSums.sum() }

  package init() {}

  /// Sums that somebody else made, for example the ring's accumulator of one channel.
  ///
  /// Figures that cannot be sums (not finite, negative squares or frames) are read as no frames.
  package init(frames: Int, sum: Double, squares: Double, peak: Float) {
    guard frames > 0, sum.isFinite, squares.isFinite, squares >= 0 else { return }
    self.frames = frames
    sums[0] = sum
    squareSums[0] = squares
    self.peak = peak.isFinite ? peak.magnitude : 0
  }

  package mutating func add(_ chunk: Span<Float>) {
    let head = min(chunk.count, -frames & 3)
    for index in 0..<head { add(chunk[index]) }
    let groups = (chunk.count - head) / 4
    chunk.extracting(head..<(head + groups * 4)).withUnsafeBytes { add(groups: $0) }
    for index in (head + groups * 4)..<chunk.count { add(chunk[index]) }
  }

  private mutating func add(_ frame: Float) {
    let finite = frame.isFinite ? frame : 0
    sums[frames & 3] += Double(finite)
    squareSums[frames & 3] += Double(finite) * Double(finite)
    peak = max(peak, finite.magnitude)
    frames += 1
  }

  /// Adds whole groups of four, the first of which falls into sum 0.
  private mutating func add(groups bytes: UnsafeRawBufferPointer) {
    var sums = sums
    var squareSums = squareSums
    var peaks = SIMD4<Int32>()
    for offset in stride(from: 0, to: bytes.count, by: 16) {
      let bits = bytes.loadUnaligned(fromByteOffset: offset, as: SIMD4<Int32>.self)
      // Without their sign bit, floats order as whole numbers do; infinity and worse come last.
      let finite = bits.replacing(with: 0, where: (bits & .max) .>= 0x7F80_0000)
      let magnitudes = finite & .max
      peaks.replace(with: magnitudes, where: magnitudes .> peaks)
      let four = unsafeBitCast(finite, to: SIMD4<Float>.self)
      let wide = SIMD4(Double(four.x), Double(four.y), Double(four.z), Double(four.w))
      sums += wide
      squareSums += wide * wide
    }
    self.sums = sums
    self.squareSums = squareSums
    peak = max(peak, Float(bitPattern: UInt32(bitPattern: peaks.max())))
    frames += bytes.count / 4
  }

  /// Mean square with the mean removed, because a constant offset is not sound; 0 without frames.
  package var power: Double {
    guard frames > 0 else { return 0 }
    let mean = sum / Double(frames)
    return max(0, squares / Double(frames) - mean * mean)
  }
}
