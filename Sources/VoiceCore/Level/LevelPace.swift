/// Decides what one receiver of levels is told: what changed, at its rate, a rise without delay.
///
/// One for the broadcast, one a lease. Times are nanoseconds of one clock that does not go back.
package struct LevelPace: Equatable, Sendable {
  /// What to send.
  package struct Message: Equatable, Sendable {
    /// Smoothed loudness, 0 to 1, rounded to the receiver's steps.
    package var level: Double
    /// Highest raw loudness since the last message, 0 to 1, rounded likewise.
    package var peak: Double
  }

  /// Levels a second that a receiver may ask for.
  package static let rates = 1...60
  /// Early messages are allowed as long as they are made up for within this time, so that a reading
  /// every 33 ms fits 30 a second, and a rise does not cost the reading after it.
  private static let credit: UInt64 = 100_000_000

  private let period: UInt64
  private let steps: Double
  private let includesPeak: Bool
  private var latest: UInt64?
  /// When the next message would be on time, had all come evenly.
  private var onTime: UInt64 = 0
  private var told = Message(level: 0, peak: 0)
  private var peak = 0.0

  /// Nothing was told yet, which a receiver takes for level 0.
  ///
  /// `rate` is clamped to 1...60 a second; `steps` is 100 for two decimals. Without `includesPeak` a peak
  /// alone is no change: the broadcast carries none.
  package init(rate: Int = 30, steps: Int = 100, includesPeak: Bool = false) {
    let rate = min(Self.rates.upperBound, max(Self.rates.lowerBound, rate))
    period = 1_000_000_000 / UInt64(rate)
    self.steps = Double(max(1, steps))
    self.includesPeak = includesPeak
  }

  /// Takes one reading's level and raw loudness; returns what to send now, if anything.
  ///
  /// A `rise` may come sooner than the rate says, but never sooner than 60 a second, and the receiver's
  /// rate holds over a second or more.
  package mutating func add(level: Double, loudness: Double, rise: Bool = false, at now: UInt64)
    -> Message?
  {
    peak = max(peak, loudness)
    let spacing = rise ? ReadingPace.shortest : max(ReadingPace.shortest, period / 2)
    if let latest, now < latest + spacing { return nil }
    guard now + Self.credit >= onTime else { return nil }
    let message = Message(level: rounded(level), peak: rounded(peak))
    guard message.level != told.level || (includesPeak && message.peak != told.peak) else {
      return nil
    }
    told = message
    latest = now
    onTime = max(onTime, now) + period
    peak = 0
    return message
  }

  /// Forgets what was told, so that the next level is told whatever it is: a new take, a new owner.
  package mutating func reset() {
    told = Message(level: -1, peak: -1)
    peak = 0
  }

  private func rounded(_ value: Double) -> Double {
    (min(1, max(0, value.isFinite ? value : 0)) * steps).rounded() / steps
  }
}
