import Glibc

/// Loudness of a sound over time, figured from its samples without the code under test.
package struct LoudnessCurve {
  /// Loudness from 0 to 1 of each window of 50 ms.
  package let windows: [Double]

  /// Mean squares in steps of 5 ms, each with its mean removed.
  private static func power(_ samples: [Float], rate: Int) -> [Double] {
    let step = rate / 200
    return stride(from: 0, through: samples.count - step, by: step).map { start in
      samples[start..<start + step].withUnsafeBufferPointer { part in
        var sum = 0.0
        var squares = 0.0
        for sample in part {
          sum += Double(sample)
          squares += Double(sample) * Double(sample)
        }
        let mean = sum / Double(step)
        return max(0, squares / Double(step) - mean * mean)
      }
    }
  }

  package static func loudness(power: Double) -> Double {
    guard power > 0 else { return 0 }
    return pow(min(1, max(0, (10 * log10(power) + 52) / 52)), 1.5)
  }

  package init(_ samples: [Float], rate: Int = Sound.rate) {
    windows = Self.windows(Self.power(samples, rate: rate)[...])
  }

  private static func windows(_ power: ArraySlice<Double>) -> [Double] {
    stride(from: power.startIndex, through: power.endIndex - 10, by: 10).map {
      loudness(power: power[$0..<$0 + 10].reduce(0, +) / 10)
    }
  }

  /// How well a recording follows its source, and how many seconds into it the recording began.
  ///
  /// The best correlation over beginnings from 0 to `most` seconds in steps of 5 ms; 1 is perfect.
  package static func follow(
    source: [Float], recording: [Float], rate: Int = Sound.rate, most: Double = 3
  ) -> (correlation: Double, start: Double) {
    let power = power(source, rate: rate)
    let curve = LoudnessCurve(recording, rate: rate).windows
    var best = (correlation: 0.0, start: 0.0)
    for lag in 0..<max(1, Int(most * 200)) where lag + 200 <= power.count {
      let part = windows(power[lag...].prefix(curve.count * 10))
      guard Double(part.count) >= 0.9 * Double(curve.count) else { break }
      let found = correlation(part, curve)
      if found > best.correlation { best = (found, Double(lag) * 0.005) }
    }
    return best
  }

  /// Pearson's correlation of the parts both have; 0 where either is flat.
  package static func correlation(_ a: [Double], _ b: [Double]) -> Double {
    let count = min(a.count, b.count)
    guard count >= 3 else { return 0 }
    let meanA = a[..<count].reduce(0, +) / Double(count)
    let meanB = b[..<count].reduce(0, +) / Double(count)
    var (ab, aa, bb) = (0.0, 0.0, 0.0)
    for index in 0..<count {
      let (x, y) = (a[index] - meanA, b[index] - meanB)
      ab += x * y
      aa += x * x
      bb += y * y
    }
    return aa < 1e-12 || bb < 1e-12 ? 0 : ab / sqrt(aa * bb)
  }
}
