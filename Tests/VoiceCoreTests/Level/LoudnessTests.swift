import Glibc
import Testing

@testable import VoiceCore

@Suite struct LoudnessTests {
  @Test("the logarithm agrees with the C library over the whole range")
  func logarithm() {
    let seed = UInt64.random(in: 0...UInt64.max)
    var random = SeededRandom(seed: seed)
    var values =
      (-320...308).map { pow(10, Double($0)) } + [
        1, 2, 0.5, 2.0.squareRoot(), .leastNonzeroMagnitude,
      ]
    for _ in 0..<20_000 {
      let value = Double(bitPattern: random.next()).magnitude
      if value.isFinite, value > 0 { values.append(value) }
      values.append(Double.random(in: 0.5...2, using: &random))
    }
    let worst = values.max { a, b in difference(a) < difference(b) } ?? 1
    #expect(difference(worst) < 2e-15, "log10(\(worst)), seed \(seed)")
    #expect(decimalLogarithm(0) == -.infinity)
    #expect(decimalLogarithm(-1).isNaN)
    #expect(decimalLogarithm(.infinity) == .infinity)
    #expect(decimalLogarithm(1) == 0)
  }

  /// Distance from the C library's answer, relative where the answer is not near 0.
  private func difference(_ value: Double) -> Double {
    abs(decimalLogarithm(value) - log10(value)) / max(0.1, abs(log10(value)))
  }

  @Test(
    "loudness is ((dB + 52) / 52) ^ 1.5 between -52 dB and full scale",
    arguments: [
      (-200.0, 0.0), (-52, 0), (-39, 0.125), (-26, 0.353_553_390_593), (-13, 0.649_519_052_838),
      (0, 1), (6, 1),
    ])
  func curve(decibels: Double, loudness: Double) {
    #expect(abs(Loudness.of(power: pow(10, decibels / 10)) - loudness) < 1e-9)
  }

  @Test("gain moves the decibels, and only them")
  func gain() {
    #expect(
      abs(Loudness.of(power: pow(10, -3.9), gain: 13) - Loudness.of(power: pow(10, -2.6))) < 1e-9)
    #expect(Loudness.of(power: 0, gain: 40) == 0)
    #expect(Loudness.of(power: 1, gain: -60) == 0)
  }

  @Test("what is not a power is silence", arguments: [0, -1, -.infinity, .nan] as [Double])
  func notAPower(power: Double) {
    #expect(Loudness.of(power: power) == 0)
    #expect(Loudness.decibels(power: power) == -.infinity)
  }
}

@Suite struct FrameSumsTests {
  @Test("a sine's power is half its amplitude squared, whatever constant it rides on")
  func power() {
    for offset in [0.0, 0.5, -1] {
      var sums = FrameSums()
      sums.add(Sounds.sine(seconds: 1, amplitude: 0.5, offset: offset))
      #expect(abs(sums.power - 0.125) < 1e-6)
    }
  }

  @Test("frames that are not finite count as 0 and hurt nothing")
  func notFinite() {
    var sums = FrameSums()
    sums.add([.nan, .infinity, -.infinity, 0.5, -0.5, .leastNonzeroMagnitude])
    #expect(sums.frames == 6)
    #expect(sums.peak == 0.5)
    #expect(abs(sums.power - 0.5 / 6) < 1e-12)
    sums = FrameSums()
    sums.add([Float](repeating: .nan, count: 100))
    #expect(sums.power == 0)
    #expect(sums.peak == 0)
  }

  @Test("no frames have no power, and sums that cannot be are no frames")
  func unusable() {
    #expect(FrameSums().power == 0)
    #expect(FrameSums(frames: 10, sum: .nan, squares: 1, peak: 1) == FrameSums())
    #expect(FrameSums(frames: 10, sum: 0, squares: -1, peak: 1) == FrameSums())
    #expect(FrameSums(frames: -1, sum: 0, squares: 1, peak: 1) == FrameSums())
    #expect(FrameSums(frames: 2, sum: 0, squares: 1, peak: .infinity).peak == 0)
  }
}

@Suite struct ReadingTests {
  @Test("the loudest channel counts, so that anti-phase and one-sided sound read true")
  func loudestChannel() {
    let sound = Sounds.sine(seconds: 0.1)
    var plain = FrameSums()
    plain.add(sound)
    var inverted = FrameSums()
    inverted.add(sound.map { -$0 })
    var silent = FrameSums()
    silent.add(Sounds.silence(seconds: 0.1))
    let alone = Reading(channels: [plain])
    #expect(alone.loudness > 0.5)
    #expect(Reading(channels: [silent, plain]) == alone)
    #expect(abs(Reading(channels: [plain, inverted]).loudness - alone.loudness) < 1e-9)
    #expect(Reading(channels: []) == .silence)
  }

  @Test("a pushed level is kept between 0 and 1")
  func pushedLevel() {
    #expect(Reading(level: 0.4) == Reading(loudness: 0.4, peak: 0.4))
    #expect(Reading(level: .nan) == .silence)
    #expect(Reading(level: 7).loudness == 1)
    #expect(Reading(level: -1).loudness == 0)
  }
}

@Suite struct LevelSmootherTests {
  @Test("six tenths of the way up, a quarter of the way down")
  func steps() {
    var smoother = LevelSmoother()
    #expect(smoother.add(1) == 0.6)
    #expect(abs(smoother.add(1) - 0.84) < 1e-12)
    #expect(abs(smoother.add(0) - 0.63) < 1e-12)
    #expect(abs(smoother.add(0.03) - 0.48) < 1e-12)
  }

  @Test("silence comes to rest at exactly 0, and nothing leaves 0...1")
  func rest() {
    var smoother = LevelSmoother()
    for wild in [Double.nan, .infinity, -3, 9, 1] {
      smoother.add(wild)
      #expect((0...1).contains(smoother.level))
    }
    var steps = 0
    while smoother.level > 0, steps < 100 {
      smoother.add(0)
      steps += 1
    }
    #expect(smoother.level == 0)
    #expect(steps < 40)
    smoother.add(0.5)
    smoother.reset()
    #expect(smoother.level == 0)
  }
}
