import Testing

@testable import VoiceCore

@Suite struct VerdictTests {
  @Test(
    "limits are -60 dBFS, -40 dBFS and full scale",
    arguments: [
      (0.0, Verdict.none), (0.000_9, .none), (0.001, .low), (0.009_9, .low), (0.01, .ok),
      (0.999, .ok), (1, .clipped), (4, .clipped), (.nan, .none),
    ])
  func limits(peak: Double, verdict: Verdict) {
    #expect(Verdict(peak: peak) == verdict)
  }

  @Test("the verdict forgets after 2 s, the whole take does not")
  func forgets() {
    let ms: UInt64 = 1_000_000
    var meter = VerdictMeter()
    #expect(meter.verdict(at: 0) == .none)
    meter.add(peak: 1, at: 10_000 * ms)
    meter.add(peak: 0.02, at: 10_900 * ms)
    #expect(meter.verdict(at: 11_700 * ms) == .clipped)
    #expect(meter.verdict(at: 12_100 * ms) == .ok)
    #expect(meter.verdict(at: 12_700 * ms) == .ok)
    #expect(meter.verdict(at: 13_000 * ms) == .none)
    #expect(Verdict(peak: meter.peak) == .clipped)
  }

  @Test("agrees with a list of all peaks, for any pattern of readings")
  func model() {
    let seed = UInt64.random(in: 0...UInt64.max)
    var random = SeededRandom(seed: seed)
    var meter = VerdictMeter()
    var all: [(now: UInt64, peak: Double)] = []
    var now: UInt64 = 0
    for _ in 0..<5_000 {
      now +=
        UInt64.random(
          in: 0...(Int.random(in: 0..<50, using: &random) == 0 ? 5_000 : 60),
          using: &random) * 1_000_000
      let peak: Double = [0, 0.005, 0.5, 1.5].randomElement(using: &random) ?? 0
      meter.add(peak: peak, at: now)
      all.append((now, peak))
      // Stretches of 250 ms are forgotten as a whole.
      let oldest = now / 250_000_000 < 7 ? 0 : (now / 250_000_000 - 7) * 250_000_000
      let expected = all.suffix(3_000).filter { $0.now >= oldest }.map(\.peak).max() ?? 0
      #expect(meter.verdict(at: now) == Verdict(peak: expected), "seed \(seed)")
    }
    #expect(Verdict(peak: meter.peak) == .clipped)
  }
}
