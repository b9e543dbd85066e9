/// One measurement of loudness, over the frames since the one before.
package struct MeterReading: Equatable, Sendable {
  /// Mean square of the loudest channel, each channel's mean removed; full scale 1.
  package var power: Double
  /// Loudest |x| of any channel before limiting; not above 1000 whatever the source sent.
  package var peak: Double
  /// Frames measured, at the device's rate; 0 for a source of bare levels.
  package var frames: Int
  /// The level that a source without sound pushed last, 0 to 1; `nil` for a source of sound.
  package var level: Double?

  package init(power: Double, peak: Double, frames: Int, level: Double? = nil) {
    self.power = power
    self.peak = peak
    self.frames = frames
    self.level = level
  }
}
