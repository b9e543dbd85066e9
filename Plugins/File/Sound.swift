/// Figures of the sound that this source gives.
enum Sound {
  /// Frames a second: the host's own, so that nothing is resampled twice.
  static let rate: Int32 = 48_000
  /// Most channels taken from a file; more are left out, and told.
  static let mostChannels = 64
  /// Rates of a file outside of these are a forged header.
  static let rates: ClosedRange<Int32> = 1_000...12_288_000
  /// Frames handled at a time.
  static let block = 8_192
}
