import Testing

@testable import VoiceCore

@Suite struct PeakMeterTests {
  @Test("each 50 ms is one peak, the last open window is another")
  func windows() {
    var meter = PeakMeter(rate: 48_000)
    #expect(meter.all.isEmpty)
    #expect(meter.open == nil)
    meter.add(Sounds.sine(seconds: 0.12, amplitude: 0.5))
    #expect(meter.peaks.count == 2)
    #expect(meter.all.count == 3)
    // RMS of 0.5 / sqrt 2 is -9.03 dB: (42.97 / 52) ^ 1.5.
    for peak in meter.all { #expect(abs(peak - 0.7512) < 0.002) }
    meter.add(Sounds.silence(seconds: 0.03))
    #expect(meter.peaks.count == 3)
    #expect(meter.open == nil)
  }

  @Test("any chunking gives the same peaks, bit for bit")
  func chunking() {
    let seed = UInt64.random(in: 0...UInt64.max)
    var random = SeededRandom(seed: seed)
    let sound = Sounds.noise(seconds: 3, seed: seed)
    for rate in [48_000, 44_100, 11_025, 8_000] {
      var whole = PeakMeter(rate: rate)
      whole.add(sound)
      for limit in [1, 7, 480, 4096] {
        var parts = PeakMeter(rate: rate)
        sound.chunked(upTo: limit, using: &random) { parts.add($0) }
        #expect(parts.all == whole.all, "rate \(rate), chunks up to \(limit), seed \(seed)")
      }
    }
  }

  @Test(
    "windows are in time and do not drift, also at rates that do not divide",
    arguments: [8_000, 11_025, 16_000, 22_050, 44_100, 48_000, 192_000])
  func rates(rate: Int) {
    var meter = PeakMeter(rate: rate)
    meter.add(Sounds.silence(seconds: 10, rate: rate))
    #expect(meter.peaks.count == 200)
    #expect(meter.open == nil)
  }

  @Test("a constant offset, denormals and samples that are not numbers are silence")
  func notSound() {
    for value in [0.5, -1, .leastNonzeroMagnitude, .nan, .infinity] as [Float] {
      var meter = PeakMeter(rate: 48_000)
      meter.add([Float](repeating: value, count: 4_800))
      #expect(meter.peaks == [0, 0], "\(value)")
    }
  }

  @Test("one broken sample spoils no other window")
  func recovers() {
    var sound = Sounds.sine(seconds: 0.15)
    sound[3_000] = 1e30
    var meter = PeakMeter(rate: 48_000)
    meter.add(sound)
    #expect(meter.peaks[1] == 1)
    #expect(abs(meter.peaks[0] - 0.7512) < 0.002)
    #expect(abs(meter.peaks[2] - 0.7512) < 0.002)
  }

  @Test("a gain raises the peaks")
  func gain() {
    var meter = PeakMeter(rate: 48_000, gain: 9.03)
    meter.add(Sounds.sine(seconds: 0.05, amplitude: 0.5))
    #expect(meter.peaks.allSatisfy { $0 > 0.999 })
  }

  @Test("a rate that is none does not hang or trap", arguments: [-1, 0, 1, 19])
  func absurdRate(rate: Int) {
    var meter = PeakMeter(rate: rate)
    meter.add(Sounds.silence(seconds: 0.01))
    #expect(meter.frames == 480)
  }
}
