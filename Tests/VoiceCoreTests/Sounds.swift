import Glibc
@testable import VoiceCore

/// Sounds and chance for the tests of this module.
enum Sounds {
  /// A sine of `amplitude`, with an optional constant offset.
  static func sine(
    seconds: Double, amplitude: Double = 0.5, frequency: Double = 440, rate: Int = 48_000,
    offset: Double = 0
  ) -> [Float] {
    (0..<Int(seconds * Double(rate))).map {
      Float(offset + amplitude * sin(2 * .pi * frequency * Double($0) / Double(rate)))
    }
  }

  static func silence(seconds: Double, rate: Int = 48_000) -> [Float] {
    [Float](repeating: 0, count: Int(seconds * Double(rate)))
  }

  /// White noise, the same for the same seed.
  static func noise(seconds: Double, amplitude: Float = 0.3, seed: UInt64 = 1) -> [Float] {
    var random = SeededRandom(seed: seed)
    return (0..<Int(seconds * 48_000)).map { _ in
      Float.random(in: -amplitude...amplitude, using: &random)
    }
  }
}

/// A repeatable source of chance (splitmix64); tests print the seed they used.
struct SeededRandom: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var value = state
    value = (value ^ (value >> 30)) &* 0xbf58_476d_1ce4_e5b9
    value = (value ^ (value >> 27)) &* 0x94d0_49bb_1331_11eb
    return value ^ (value >> 31)
  }
}

extension Array where Element == Float {
  /// Hands the array over in chunks of chance lengths, also of none.
  func chunked(upTo limit: Int, using random: inout SeededRandom, _ take: (Span<Float>) -> Void) {
    var start = 0
    while start < count {
      let end = Swift.min(count, start + Int.random(in: 0...limit, using: &random))
      take(self[start..<end].span)
      start = end
    }
  }
}

extension FrameSums {
  mutating func add(_ sound: [Float]) { add(sound.span) }
}

extension PeakMeter {
  mutating func add(_ sound: [Float]) { add(sound.span) }
}

extension WaveformBuilder {
  mutating func add(_ sound: [Float]) { add(sound.span) }
}
