/// One measurement of how loud a source is, taken about every 33 ms.
package struct Reading: Equatable, Sendable {
  /// Raw loudness, 0 to 1, gain included, not smoothed.
  package var loudness: Double
  /// Highest absolute frame since the reading before, full scale 1, no gain; for the verdict.
  package var peak: Double

  package init(loudness: Double, peak: Double) {
    self.loudness = loudness.isFinite ? min(1, max(0, loudness)) : 0
    self.peak = peak.isFinite ? peak.magnitude : 0
  }

  /// The reading of a source that pushes levels, 0 to 1, and has no sound.
  package init(level: Double) {
    self.init(loudness: level, peak: level)
  }

  /// The reading of all channels' sums since the one before; `gain` is in dB.
  ///
  /// The loudest channel counts, never a mean, so that anti-phase and one-sided microphones read true.
  package init(channels: some Sequence<FrameSums>, gain: Double = 0) {
    var power = 0.0
    var peak: Float = 0
    for channel in channels {
      power = max(power, channel.power)
      peak = max(peak, channel.peak)
    }
    self.init(loudness: Loudness.of(power: power, gain: gain), peak: Double(peak))
  }

  package static let silence = Reading(loudness: 0, peak: 0)
}
