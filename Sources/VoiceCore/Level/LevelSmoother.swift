/// The level that is shown: readings smoothed, quick to rise and slow to fall.
package struct LevelSmoother: Equatable, Sendable {
  /// Share of the way to a louder reading that one reading goes.
  package static let rising = 0.6
  /// Share of the way to a quieter reading that one reading goes.
  package static let falling = 0.25
  /// Below this a level that falls to silence is silence: invisible, and it ends the decay.
  static let rest = 0.000_1

  /// Smoothed loudness, 0 to 1.
  package private(set) var level = 0.0

  package init() {}

  /// Takes one raw loudness, 0 to 1, and returns the new level; what is not finite counts as 0.
  @discardableResult
  package mutating func add(_ raw: Double) -> Double {
    let raw = raw.isFinite ? min(1, max(0, raw)) : 0
    level += (raw - level) * (raw > level ? Self.rising : Self.falling)
    if raw == 0, level < Self.rest { level = 0 }
    return level
  }

  /// Back to rest, at the end of a take or lease.
  package mutating func reset() { level = 0 }
}
