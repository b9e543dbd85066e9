import Testing

@testable import VoiceCore

private let ms: UInt64 = 1_000_000

@Suite struct ReadingPaceTests {
  @Test("a reading is due every 33 ms, and not without frames")
  func everyThirtyThree() {
    var pace = ReadingPace(at: 1_000 * ms)
    #expect(pace.due == 1_033 * ms)
    #expect(pace.tick(hasFrames: true, at: 1_032 * ms) == .wait)
    #expect(pace.tick(hasFrames: true, at: 1_033 * ms) == .read)
    #expect(pace.due == 1_066 * ms)
    #expect(pace.tick(hasFrames: false, at: 1_066 * ms) == .wait)
    #expect(pace.tick(hasFrames: true, at: 1_100 * ms) == .read)
    #expect(pace.due == 1_132 * ms)
  }

  @Test("quanta of 2048 frames never read as silence")
  func longQuanta() {
    var pace = ReadingPace(at: 0)
    var taken: UInt64 = 0
    var readings = 0
    for tick in 1...300 {
      let now = UInt64(tick) * 33 * ms
      let delivered = now * 48 / ms / 2048
      let decision = pace.tick(hasFrames: delivered > taken, at: now)
      #expect(decision != .silence)
      if decision == .read {
        taken = delivered
        readings += 1
      }
    }
    #expect(readings > 220)
  }

  @Test("after 250 ms without frames a reading is silence, until frames come")
  func silence() {
    var pace = ReadingPace(at: 0)
    var decisions: [ReadingPace.Decision] = []
    for tick in 1...10 {
      decisions.append(pace.tick(hasFrames: tick == 1 || tick == 10, at: UInt64(tick) * 33 * ms))
    }
    #expect(decisions[0] == .read)
    #expect(decisions[1...7].allSatisfy { $0 == .wait })
    #expect(decisions[8] == .silence)
    #expect(decisions[9] == .read)
  }

  @Test("a rise is read at once and restarts the pace")
  func rise() {
    var pace = ReadingPace(at: 0)
    #expect(pace.tick(hasFrames: true, at: 33 * ms) == .read)
    let isRead = pace.rise(at: 55 * ms)
    #expect(isRead)
    #expect(pace.due == 88 * ms)
  }

  @Test("rises in quick succession are read 60 times a second at most")
  func manyRises() {
    var pace = ReadingPace(at: 0)
    var readings: [UInt64] = []
    for now in stride(from: 1 * ms, to: 5_000 * ms, by: Int(ms)) {
      if pace.rise(at: now) { readings.append(now) }
      if pace.tick(hasFrames: true, at: now) == .read { readings.append(now) }
    }
    for (a, b) in zip(readings, readings.dropFirst()) { #expect(b - a >= ReadingPace.shortest) }
    #expect(readings.count > 250)
  }

  @Test("a late timer does not bring a burst, and a deferred rise is read soon")
  func lateTimer() {
    var pace = ReadingPace(at: 0)
    #expect(pace.tick(hasFrames: true, at: 1_000 * ms) == .read)
    #expect(pace.due == 1_033 * ms)
    let isRead = pace.rise(at: 1_005 * ms)
    #expect(!isRead)
    #expect(pace.due == 1_000 * ms + ReadingPace.shortest)
    #expect(pace.tick(hasFrames: true, at: pace.due) == .read)
  }
}

@Suite struct LevelPaceTests {
  @Test("two decimals, told only on change")
  func decimals() {
    var pace = LevelPace()
    #expect(pace.add(level: 0.004, loudness: 0.5, at: 0) == nil)
    #expect(pace.add(level: 0.126, loudness: 0.5, at: 33 * ms)?.level == 0.13)
    #expect(pace.add(level: 0.134, loudness: 0.9, at: 66 * ms) == nil)
    #expect(pace.add(level: 0.136, loudness: 0.9, at: 99 * ms)?.level == 0.14)
    #expect(pace.add(level: .nan, loudness: 0, at: 132 * ms)?.level == 0)
  }

  @Test("a lease is told the highest loudness since it was told last")
  func peakSinceLast() {
    var pace = LevelPace(rate: 10, includesPeak: true)
    #expect(pace.add(level: 0.2, loudness: 0.3, at: 0)?.peak == 0.3)
    #expect(pace.add(level: 0.5, loudness: 0.9, at: 33 * ms) == nil)
    #expect(pace.add(level: 0.4, loudness: 0.1, at: 66 * ms) == .init(level: 0.4, peak: 0.9))
    #expect(pace.add(level: 0.4, loudness: 0.1, at: 166 * ms) == .init(level: 0.4, peak: 0.1))
    #expect(pace.add(level: 0.4, loudness: 0.1, at: 266 * ms) == nil)
  }

  @Test("a rate holds over a second and more", arguments: [1, 5, 10, 15, 25, 30, 60])
  func rates(rate: Int) {
    let seed = UInt64.random(in: 0...UInt64.max)
    var random = SeededRandom(seed: seed)
    var pace = LevelPace(rate: rate)
    var told: [UInt64] = []
    var now: UInt64 = 0
    while now < 60_000 * ms {
      let rise = Int.random(in: 0..<6, using: &random) == 0
      now += rise ? UInt64.random(in: 5 * ms...33 * ms, using: &random) : 33 * ms
      let level = Double.random(in: 0...1, using: &random)
      if pace.add(level: level, loudness: level, rise: rise, at: now) != nil { told.append(now) }
    }
    // Between any two messages a second or more apart: the rate, and what the credit of 100 ms allows.
    let burst = 2 + rate / 10
    for first in told.indices {
      let second = told[first...].prefix { $0 < told[first] + 1_000 * ms }.count
      #expect(second <= min(61, rate + burst), "rate \(rate), seed \(seed)")
    }
    #expect(told.count <= rate * 60 + burst, "seed \(seed)")
    let possible = min(Double(rate), 30)
    #expect(Double(told.count) > possible * 60 * 0.8, "\(told.count), seed \(seed)")
    for (a, b) in zip(told, told.dropFirst()) { #expect(b - a >= ReadingPace.shortest) }
  }

  @Test("30 a second takes readings every 33 ms, nearly all of them")
  func defaultRate() {
    var pace = LevelPace()
    let told = (1...300).count {
      pace.add(level: $0 % 2 == 0 ? 0.2 : 0.4, loudness: 0, at: UInt64($0) * 33 * ms) != nil
    }
    #expect(told >= 296)
  }

  @Test("a rise does not wait, nor does the reading after it")
  func rise() {
    var pace = LevelPace()
    #expect(pace.add(level: 0.1, loudness: 0, at: 0) != nil)
    #expect(pace.add(level: 0.6, loudness: 1, rise: true, at: 17 * ms) != nil)
    #expect(pace.add(level: 0.8, loudness: 1, at: 50 * ms) != nil)
  }

  @Test("after a reset the first level is told, also 0")
  func reset() {
    var pace = LevelPace()
    #expect(pace.add(level: 0.5, loudness: 0, at: 0) != nil)
    pace.reset()
    #expect(pace.add(level: 0, loudness: 0, at: 50 * ms)?.level == 0)
  }
}
