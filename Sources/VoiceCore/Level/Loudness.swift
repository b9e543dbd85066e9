/// How loud a power is to a person, as a figure from 0 to 1 that a bar can be drawn with.
package enum Loudness {
  /// Decibels below full scale at and below which the loudness is 0.
  package static let floor = -52.0

  /// Decibels of a mean square; full scale is 1.0, so that 0 dBFS is a mean square of 1.
  ///
  /// Minus infinity for silence and for what is not a power (negative, not a number).
  package static func decibels(power: Double) -> Double {
    guard power > 0 else { return -.infinity }
    return 10 * decimalLogarithm(power)
  }

  /// Loudness, 0 to 1, of a mean square; `gain` (dB) is the user's `level-gain`, added here alone.
  ///
  /// The curve is ((dB + 52) / 52) ^ 1.5, clamped: quiet rooms stay low, speech fills the bar.
  package static func of(power: Double, gain: Double = 0) -> Double {
    let decibels = decibels(power: power) + gain
    guard decibels > floor else { return 0 }
    let linear = min(1, (decibels - floor) / -floor)
    return linear * linear.squareRoot()
  }
}
