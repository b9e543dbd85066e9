import Glibc
import Testing

@testable import VoiceCore

/// Loudness curves as a reading every 33 ms gives them.
private struct Room {
  var noise: Double
  var random: SeededRandom

  /// Noise that moves by a fifth either way.
  mutating func quiet(seconds: Double) -> [Double] {
    (0..<Int(seconds / 0.033)).map { _ in noise * Double.random(in: 0.8...1.2, using: &random) }
  }

  /// Syllables, 4 to 5 a second, that dip to near the noise between them.
  mutating func speech(seconds: Double, loudness: Double = 0.6) -> [Double] {
    (0..<Int(seconds / 0.033)).map { index in
      let syllable = abs(sin(.pi * 4.5 * Double(index) * 0.033))
      let voice = loudness * syllable * Double.random(in: 0.8...1, using: &random)
      return max(noise, voice)
    }
  }
}

@Suite struct AutoStopTests {
  private func run(_ readings: [Double], into stop: inout AutoStop) {
    for reading in readings { stop.add(reading, seconds: 0.033) }
  }

  @Test(
    "speech with natural pauses goes on, silence after it ends it, in quiet and noisy rooms",
    arguments: [0, 0.01, 0.04, 0.1, 0.2])
  func conversation(noise: Double) {
    let seed = UInt64.random(in: 0...UInt64.max)
    var room = Room(noise: noise, random: SeededRandom(seed: seed))
    var stop = AutoStop()
    run(room.quiet(seconds: 1), into: &stop)
    for _ in 0..<10 {
      run(room.speech(seconds: 2.5, loudness: 0.7), into: &stop)
      #expect(stop.secondsWithoutSpeech < 0.3, "noise \(noise), seed \(seed)")
      run(room.quiet(seconds: 1.2), into: &stop)
      #expect(!stop.isOver(limit: 1.5), "noise \(noise), seed \(seed)")
      #expect(stop.secondsWithoutSpeech > 0.9, "noise \(noise), seed \(seed)")
    }
    run(room.quiet(seconds: 1), into: &stop)
    #expect(stop.isOver(limit: 2), "noise \(noise), seed \(seed)")
  }

  @Test("speech from the first moment on is speech")
  func noLeadIn() {
    var room = Room(noise: 0.02, random: SeededRandom(seed: 1))
    var stop = AutoStop()
    run(room.speech(seconds: 3), into: &stop)
    #expect(stop.secondsWithoutSpeech < 0.3)
  }

  @Test("a loud steady fan is speech for 3 s at most")
  func fan() {
    var room = Room(noise: 0.01, random: SeededRandom(seed: 2))
    var stop = AutoStop()
    run(room.quiet(seconds: 3), into: &stop)
    #expect(stop.isOver(limit: 2))
    room.noise = 0.25
    run(room.quiet(seconds: 2), into: &stop)
    #expect(!stop.isOver(limit: 2))
    run(room.quiet(seconds: 3.5), into: &stop)
    #expect(stop.isOver(limit: 2))
  }

  @Test("clicks and key strokes are no speech")
  func clicks() {
    var stop = AutoStop()
    for index in 0..<150 { stop.add(index % 8 == 0 ? 0.7 : 0.01, seconds: 0.033) }
    #expect(stop.isOver(limit: 4.5))
  }

  @Test("a take without a word is over after the limit, and a limit of 0 is never")
  func nothingSaid() {
    var stop = AutoStop()
    run([Double](repeating: 0, count: 91), into: &stop)
    #expect(stop.isOver(limit: 3))
    #expect(!stop.isOver(limit: 3.1))
    #expect(!stop.isOver(limit: 0))
  }

  @Test("a gap in the sound is no silence, nor is what is not a number speech")
  func gaps() {
    var stop = AutoStop()
    stop.add(0, seconds: 30)
    stop.add(0, seconds: -5)
    stop.add(0, seconds: .nan)
    #expect(abs(stop.secondsWithoutSpeech - 0.1) < 1e-9)
    for _ in 0..<10 { stop.add(.nan, seconds: 0.033) }
    #expect(!stop.hearsSpeech)
  }
}
