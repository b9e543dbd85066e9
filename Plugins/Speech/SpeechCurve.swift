/// How loud the speech is at a moment, as the level a meter should show, 0 to 1.
///
/// Four phrases in a cycle of 6.4 s, each of 4 to 6 syllables at 4.1 to 4.9 a second. The cycles
/// differ in the loudness of their syllables, so that the source never repeats; the same seed
/// always gives the same ones.
struct SpeechCurve {
  static let rate: UInt64 = 48_000
  /// Length of a cycle in frames: 6.4 s.
  static let cycle: UInt64 = 307_200
  /// Between two syllables the level falls to this.
  static let dip = 0.47
  /// Syllables reach between these two.
  static let quietest = 0.67
  static let loudest = 0.815
  /// Between phrases.
  static let pause = 0.034
  /// Part of the level that the grain adds or takes, in a phrase and in a pause.
  static let grain = 0.04
  static let pauseGrain = 0.25
  /// Frames between two grains: 20 a second.
  static let grainLength: UInt64 = 2400

  let seed: UInt64

  /// The level at a frame.
  func level(at frame: UInt64) -> Double {
    let cycle = frame / Self.cycle
    let time = Double(frame % Self.cycle) / Double(Self.rate)
    let grain = grain(at: frame)
    var level = Self.pause * (1 + Self.pauseGrain * grain)
    for phrase in 0..<4 {
      let shape = Phrase(phrase)
      let inside = time - shape.start
      guard inside >= 0, inside < shape.length else { continue }
      let position = inside / shape.length * Double(shape.syllables)
      let index = Int(position)
      let peak = peak(of: cycle &* 32 &+ UInt64(phrase * 8 + index))
      let swell = 0.5 - 0.5 * sine(turns: position - Double(index) + 0.25)
      let voiced = (Self.dip + (peak - Self.dip) * swell) * (1 + Self.grain * grain)
      level += (voiced - level) * shape.softness(inside)
    }
    return level
  }

  private func peak(of syllable: UInt64) -> Double {
    Self.quietest + (Self.loudest - Self.quietest) * chance(seed, syllable &+ (1 << 63))
  }

  /// -1 to 1, going straight from one grain to the next.
  private func grain(at frame: UInt64) -> Double {
    let index = frame / Self.grainLength
    let part = Double(frame % Self.grainLength) / Double(Self.grainLength)
    let from = chance(seed, index)
    return (from + (chance(seed, index &+ 1) - from) * part) * 2 - 1
  }
}

/// One of the four phrases of a cycle; times in seconds.
private struct Phrase {
  let start: Double
  let length: Double
  let syllables: Int
  /// How long its beginning and its end take.
  let edge: Double

  init(_ number: Int) {
    switch number {
    case 0: (start, length, syllables, edge) = (0.08, 1.24, 6, 0.12)
    case 1: (start, length, syllables, edge) = (1.68, 0.96, 4, 0.15)
    case 2: (start, length, syllables, edge) = (3.02, 1.44, 6, 0.13)
    default: (start, length, syllables, edge) = (4.84, 1.08, 5, 0.14)
    }
  }

  /// 0 at both ends, 1 within, with no corner.
  func softness(_ time: Double) -> Double {
    let rest = length - time
    let nearest = time < rest ? time : rest
    guard nearest < edge else { return 1 }
    let part = nearest / edge
    return part * part * (3 - 2 * part)
  }
}
