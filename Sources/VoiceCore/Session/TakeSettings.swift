/// What one take is recorded with: the session's properties, or `Begin`'s options over them.
package struct TakeSettings: Equatable, Sendable {
  package var source: String
  package var target: String
  package var playback: Playback
  package var format: Format
  /// Seconds; a take shorter than this by the clock and by its sound is discarded.
  package var minimum: Double
  /// Seconds of sound after which the take is cut.
  package var maximum: Double
  /// Seconds without speech after which a hands-free take is sent; 0 is never.
  package var autoStop: Double
  /// Pause media players while the take runs.
  package var pauseMedia: Bool
  /// Names of the waveform exports wanted in the details of `Finished`.
  package var waveforms: [String]
  /// What the client calls itself, for `Listeners`.
  package var application: String

  package init(
    source: String = "microphone", target: String = "", playback: Playback = .whole,
    format: Format = .usual,
    minimum: Double = 0.6, maximum: Double = 300, autoStop: Double = 0, pauseMedia: Bool = false,
    waveforms: [String] = [], application: String = ""
  ) {
    self.source = source
    self.target = target
    self.playback = playback
    self.format = format
    self.minimum = minimum
    self.maximum = maximum
    self.autoStop = autoStop
    self.pauseMedia = pauseMedia
    self.waveforms = waveforms
    self.application = application
  }

  /// Frames of the ring after which the take is cut.
  package var maximumFrames: UInt64 { frames(seconds: maximum) }
}

/// Frames a second of the ring, to which all of the core's frame counts refer.
package let ringRate = 48_000.0

/// Whole frames of the ring in that many seconds; the largest count for times beyond all bounds.
package func frames(seconds: Double) -> UInt64 {
  let count = (seconds * ringRate).rounded()
  guard count >= 1 else { return 0 }
  return count < 1e18 ? UInt64(count) : UInt64(1e18)
}
