/// Sums over all frames of a ring at one moment; two of them give a reading.
struct MeterSums {
  var measured: UInt64 = 0
  var levels: UInt64 = 0
  var level: Double = 0
  var sums: [Int64]
  var squares: [Int64]

  init() {
    sums = Array(repeating: 0, count: RingLayout.maximumChannels)
    squares = sums
  }

  /// Mean square of the loudest channel between two moments, each channel's mean removed.
  func power(since earlier: MeterSums) -> Double {
    let frames = measured &- earlier.measured
    guard frames > 0, frames <= RingLayout.longestWindow else { return 0 }
    var loudest = 0.0
    for channel in sums.indices {
      loudest = max(
        loudest,
        meanSquare(
          sum: sums[channel] &- earlier.sums[channel],
          squares: squares[channel] &- earlier.squares[channel], frames: frames))
    }
    return loudest
  }
}

/// Mean square with the mean removed, of wrapping fixed-point sums over some frames.
///
/// Never negative and at most 1, whatever an untrusted writer summed up.
@inline(__always)
func meanSquare(sum: Int64, squares: Int64, frames: UInt64) -> Double {
  let count = Double(frames)
  let mean = Double(sum) * RingLayout.fraction / count
  let square = Double(squares) * RingLayout.fraction / count
  let rest = square - mean * mean
  return rest > 0 ? (rest < 1 ? rest : 1) : 0
}
