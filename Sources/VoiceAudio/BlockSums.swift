/// Sum, sum of squares and loudest sample of a block of one channel.
struct BlockSums {
  /// Of the samples limited to -1...1, so that one wild sample cannot drown the rest.
  var sum = 0.0
  var squares = 0.0
  /// Of the samples as they came, non-finite ones aside.
  var peak: Float = 0

  /// Measures a block; real-time safe.
  ///
  /// `pivot` is about the channel's mean: squares are summed around it, so that a large constant
  /// offset costs no precision of the small sound on top of it.
  @_noLocks @_noAllocation
  static func of(_ samples: UnsafePointer<Float>, count: Int, pivot: Float) -> BlockSums {
    var sum = 0.0
    var squares = 0.0
    var peak: Float = 0
    var start = 0
    // Single-precision lanes are folded into doubles every 256 frames: 32 additions a lane.
    while start + 8 <= count {
      let stop = min(start + 256, count - 7)
      var laneSum = SIMD8<Float>(repeating: 0)
      var laneSquares = SIMD8<Float>(repeating: 0)
      var lanePeak = SIMD8<Float>(repeating: 0)
      while start < stop {
        let raw = UnsafeRawPointer(samples + start).loadUnaligned(as: SIMD8<Float>.self)
        let loud = raw.replacing(with: 0 - raw, where: raw .< 0)
        let usable = (loud .>= 1e-30) .& (loud .<= .greatestFiniteMagnitude)
        let size = SIMD8<Float>(repeating: 0).replacing(with: loud, where: usable)
        lanePeak.replace(with: size, where: size .> lanePeak)
        var value = SIMD8<Float>(repeating: 0).replacing(with: raw, where: usable)
        value.replace(with: 1, where: value .> 1)
        value.replace(with: -1, where: value .< -1)
        value -= pivot
        laneSum += value
        laneSquares += value * value
        start += 8
      }
      sum += Double(laneSum.sum())
      squares += Double(laneSquares.sum())
      peak = max(peak, lanePeak.max())
    }
    while start < count {
      peak = max(peak, loudness(samples[start]))
      let value = limited(samples[start]) - pivot
      sum += Double(value)
      squares += Double(value * value)
      start += 1
    }
    let offset = Double(pivot)
    let frames = Double(count)
    return BlockSums(
      sum: sum + frames * offset,
      squares: squares + 2 * offset * sum + frames * offset * offset, peak: peak)
  }
}

/// A sample as it may be recorded: non-finite and denormal ones are 0, the rest within -1...1.
@inline(__always)
func limited(_ sample: Float) -> Float {
  let size = loudness(sample)
  if size == 0 { return 0 }
  return size > 1 ? (sample > 0 ? 1 : -1) : sample
}

/// |x|, or 0 for what is no sound: non-finite samples, and those below 1e-30, because denormal
/// numbers cost many times a normal one's time.
@inline(__always)
private func loudness(_ sample: Float) -> Float {
  let size = abs(sample)
  return size >= 1e-30 && size <= .greatestFiniteMagnitude ? size : 0
}
