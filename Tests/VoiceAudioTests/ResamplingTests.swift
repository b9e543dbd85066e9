import Glibc
import Testing
import VoiceAudio

@testable import voiced_source

@Suite("Bringing other rates to 48 kHz")
struct ResamplingTests {
  /// Amplitude of a frequency in 48 kHz sound.
  private func amplitude(_ sound: [Float], _ frequency: Double) -> Double {
    var re = 0.0
    var im = 0.0
    for (index, sample) in sound.enumerated() {
      let phase = 2 * .pi * frequency * Double(index) / 48_000
      re += Double(sample) * cos(phase)
      im += Double(sample) * sin(phase)
    }
    return 2 * (re * re + im * im).squareRoot() / Double(sound.count)
  }

  @Test(
    "a tone keeps its pitch, its amplitude, its place in time and its length",
    arguments: [8000, 16_000, 44_100, 96_000, 192_000])
  func tone(rate: Int) throws {
    let ring = try SoundRing.create()
    let speex = try #require(SpeexConverter(rate: UInt32(rate)))
    defer { speex.free() }
    var writer = RingWriter(ring: ring, wake: -1)
    writer.use(rate: UInt32(rate), channels: 1, converter: speex.converter)
    let quantum = rate / 40
    for block in 0..<40 {
      let sound = sine(1000, amplitude: 0.5, rate: rate, frames: quantum, from: block * quantum)
      writer.push([sound], time: time(ofFrame: block * quantum, rate: rate))
      // The time told for a frame is that of the sound in it, whatever the filter holds back.
      let anchor = try #require(ring.anchor)
      #expect(abs(Int64(anchor.time) - Int64(time(ofFrame: Int(anchor.frame)))) < 30_000)
    }
    writer.flush(frames: speex.latency)
    let sound = try #require(ring.frames(from: 0))
    #expect(abs(sound.count - 48_000) < 60)
    let middle = Array(sound[4800..<43_200])
    #expect(abs(amplitude(middle, 1000) - 0.5) < 0.002)
    #expect(amplitude(middle, 7000) < 0.0005)
    #expect(ring.lost == 0)
    // The first frames are the first frames, to a hundredth of the tone.
    let begin = sine(1000, amplitude: 0.5, frames: 2000)
    #expect(zip(begin[500...], sound[500..<2000]).allSatisfy { abs($0 - $1) < 0.01 })
  }
}
