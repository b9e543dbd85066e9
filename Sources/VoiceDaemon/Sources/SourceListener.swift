import VoiceCore

/// A take or a lease: who a running source tells what it hears.
///
/// Everything is called on the daemon's thread, never from inside `SourcePool.join`.
protocol SourceListener: AnyObject {
  /// Whether the sound is recorded, not only metered.
  var isTake: Bool { get }
  /// One measurement.
  func heard(_ heard: HeardReading, at now: UInt64)
  /// The ring holds this many frames; told at each tick, also when nothing came.
  func ticked(written: UInt64, at now: UInt64)
  /// What the source is really linked to changed; `nil` is nothing.
  func linked(to target: String?)
  /// No sound for so long that it is worth telling.
  func lost()
  /// The end of that.
  func back()
  /// Nothing was heard for as long as a take waits, or the source cannot start at all; the detail
  /// is what its plugin says of that, if anything.
  func failed(_ why: Refusal)
  /// The source came to the end of its material.
  func ended()
}

/// A reading as listeners get it: told together with the level smoothed from it.
struct HeardReading: Equatable, Sendable {
  var reading: Reading
  /// Smoothed loudness, 0 to 1.
  var level: Double
  /// Seconds since the reading before.
  var seconds: Double
  /// Whether the reading had frames; silence for lack of them has none.
  var hasFrames: Bool
  /// A clear rise: worth telling at once.
  var isRise: Bool
}
