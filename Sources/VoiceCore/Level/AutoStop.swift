/// Tells for how long nobody has spoken, from raw loudness, in a quiet or a noisy room.
///
/// Speech is what stands clearly above the room: the quietest reading of the last 3 s is the room, since
/// speech always dips between syllables. A fan that starts counts as speech until those 3 s are over. A
/// single loud reading (a click, a key) is no speech: three of the last five must be.
package struct AutoStop: Equatable, Sendable {
  /// Above 1.6 times the room's loudness and this much more: about 6 dB in a quiet room.
  private static let margin = 0.04
  private static let ratio = 1.6
  /// The room is never taken for louder than this, or speech from the first moment on would be the room.
  private static let loudestRoom = 0.3
  /// Seconds that one of the stretches lasts whose minima are kept, and how many there are.
  private static let stretch = 0.5
  private static let stretches = 6
  /// A reading stands for no more than this many seconds, so that a gap in the sound is no silence.
  private static let longestReading = 0.1

  private var minima: [Double] = []
  private var inStretch = 0.0
  /// The last five readings, newest in the lowest bit: 1 is above the room.
  private var above: UInt8 = 0
  /// Seconds of sound since the last speech, or since the beginning.
  package private(set) var secondsWithoutSpeech = 0.0

  package init() {}

  /// Loudness above which a reading may be speech.
  package var threshold: Double {
    let room = min(minima.min() ?? 0, Self.loudestRoom)
    return room * Self.ratio + Self.margin
  }

  /// Whether the last readings are speech.
  package var hearsSpeech: Bool { above.nonzeroBitCount >= 3 }

  /// Takes one raw loudness (0 to 1) and the seconds since the reading before.
  ///
  /// Only readings that had frames: what a stalled source does not deliver is not silence.
  package mutating func add(_ loudness: Double, seconds: Double) {
    let seconds = seconds.isFinite ? min(Self.longestReading, max(0, seconds)) : 0
    note(loudness.isFinite ? loudness : 0, seconds: seconds)
    above = (above << 1 | (loudness > threshold ? 1 : 0)) & 0b11111
    secondsWithoutSpeech = hearsSpeech ? 0 : secondsWithoutSpeech + seconds
  }

  /// Whether `limit` seconds have passed without speech; a limit of 0 is never.
  package func isOver(limit: Double) -> Bool { limit > 0 && secondsWithoutSpeech >= limit }

  private mutating func note(_ loudness: Double, seconds: Double) {
    inStretch += seconds
    if minima.isEmpty || inStretch >= Self.stretch {
      inStretch = minima.isEmpty ? seconds : 0
      minima.append(loudness)
      if minima.count > Self.stretches { minima.removeFirst() }
    } else {
      minima[minima.count - 1] = min(minima[minima.count - 1], loudness)
    }
  }
}
