/// What is known of one channel of a source: its sums since the ring was made, and how loud it
/// has been lately.
struct ChannelState {
  /// Wrapping fixed-point sums, as published (`RingLayout.fraction`).
  var sum: Int64 = 0
  var squares: Int64 = 0
  /// The sums as they were when the daemon took its last reading.
  var sumAtReading: Int64 = 0
  var squaresAtReading: Int64 = 0
  /// Running mean and mean square of about the last 150 ms, for the channel rule.
  var mean = 0.0
  var meanSquare = 0.0

  /// How loud the channel has been lately, its mean removed.
  @inline(__always)
  var power: Double {
    let rest = meanSquare - mean * mean
    return rest > 0 ? rest : 0
  }

  /// Takes in a block.
  ///
  /// `weight` is the block's share in the running means, 0 to 1.
  @_noLocks @_noAllocation
  mutating func add(_ block: BlockSums, frames: Int, weight: Double) {
    sum &+= fixed(block.sum)
    squares &+= fixed(block.squares)
    let count = Double(frames)
    mean += (block.sum / count - mean) * weight
    meanSquare += (block.squares / count - meanSquare) * weight
  }
}

/// Nearest whole number of `RingLayout.fraction`; a block of limited samples always fits.
@inline(__always)
private func fixed(_ value: Double) -> Int64 {
  Int64(value * (1 / RingLayout.fraction) + (value < 0 ? -0.5 : 0.5))
}
