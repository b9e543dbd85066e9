import Glibc
import Testing
import VoiceAudio

@Suite("The channel rule")
struct ChannelRuleTests {
  /// What is recorded of channels pushed in quanta.
  private func recorded(_ channels: [[Float]], quantum: Int = 1024) throws -> [Float] {
    let ring = try SoundRing.create()
    var writer = RingWriter(ring: ring, wake: -1)
    writer.use(rate: 48_000, channels: channels.count, converter: nil)
    let frames = channels[0].count
    for start in stride(from: 0, to: frames, by: quantum) {
      let part = channels.map { Array($0[start..<min(start + quantum, frames)]) }
      writer.push(part, time: time(ofFrame: start))
    }
    return try #require(ring.frames(from: 0))
  }

  private func steepest(_ sound: [Float]) -> Float {
    zip(sound, sound.dropFirst()).map { abs($0 - $1) }.max() ?? 0
  }

  private let tone = sine(300, amplitude: 0.5, frames: 24_000)
  private let silence = [Float](repeating: 0, count: 24_000)

  @Test("anti-phase is neither cancelled nor halved")
  func antiPhase() throws {
    #expect(try recorded([tone, tone.map { -$0 }]) == tone)
  }

  @Test("one side alone is recorded from its first frame", arguments: [64, 1024, 8192])
  func oneSided(quantum: Int) throws {
    #expect(try recorded([silence, tone], quantum: quantum) == tone)
    #expect(try recorded([silence, silence, tone, silence, silence, silence]) == tone)
    let late = [Float](repeating: 0, count: 5000) + tone.dropLast(5000)
    #expect(try recorded([silence, late], quantum: quantum) == late)
  }

  @Test("a constant offset on one side is not taken for its voice")
  func offset() throws {
    #expect(try recorded([[Float](repeating: 0.4, count: 24_000), tone]) == tone)
  }

  @Test("a channel that becomes clearly louder takes over without a click", arguments: [128, 1024])
  func crossFade(quantum: Int) throws {
    // The louder voice begins in mid-swing of the other one, at another phase.
    let first = sine(200, amplitude: 0.1, frames: 48_000)
    var second = sine(200, amplitude: 0.7, frames: 48_000, from: 60)
    for index in 0..<12_000 { second[index] *= 0.05 }
    for index in 12_000..<24_000 { second[index] *= 0.05 + 0.95 * Float(index - 12_000) / 12_000 }
    let sound = try recorded([first, second], quantum: quantum)
    #expect(sound.prefix(12_000) == first.prefix(12_000))
    #expect(sound.suffix(12_000) == second.suffix(12_000))
    // Neither alone is steeper than this; a hard switch would be up to ten times that.
    #expect(steepest(sound) <= steepest(second) * 1.05)
  }

  @Test("channels about as loud do not take turns")
  func hysteresis() throws {
    var left = tone + tone
    var right = tone + tone
    for index in left.indices {
      let isEven = index / 4800 % 2 == 0
      left[index] *= isEven ? 0.5 : 0.7
      right[index] *= isEven ? -0.7 : -0.5
    }
    let sound = try recorded([left, right])
    #expect(sound == left || sound == right)
  }
}
