import Glibc
import Testing

@testable import VoiceAudio

@Suite("The meter")
struct MeterTests {
  /// A reading over channels pushed in quanta of 1024 frames.
  private func reading(of channels: [[Float]], rate: UInt32 = 48_000) throws -> MeterReading {
    let ring = try SoundRing.create()
    var writer = RingWriter(ring: ring, wake: -1)
    writer.use(rate: rate, channels: channels.count, converter: nil)
    let frames = channels[0].count
    for start in stride(from: 0, to: frames, by: 1024) {
      let part = channels.map { Array($0[start..<min(start + 1024, frames)]) }
      writer.push(part, time: time(ofFrame: start))
    }
    return try #require(ring.drainReading())
  }

  private let tone = sine(1000, amplitude: 0.5, frames: 4800)

  @Test("a sine of 0.5 is -9.03 dB, peak 0.5")
  func level() throws {
    let reading = try reading(of: [tone])
    #expect(abs(decibels(reading.power) + 9.031) < 0.001)
    #expect(abs(reading.peak - 0.5) < 1e-6)
    #expect(reading.frames == 4800)
    #expect(reading.level == nil)
  }

  @Test("a constant is no sound, and what lies on top of one is measured as if alone")
  func constant() throws {
    #expect(decibels(try reading(of: [[Float](repeating: 0.3, count: 4800)]).power) < -110)
    let quiet = sine(1000, amplitude: 0.001, frames: 4800)
    let reading = try reading(of: [quiet.map { $0 + 0.3 }])
    #expect(abs(decibels(reading.power) + 63.01) < 0.05)
  }

  @Test("channels in anti-phase count in full")
  func antiPhase() throws {
    #expect(abs(decibels(try reading(of: [tone, tone.map { -$0 }]).power) + 9.031) < 0.001)
  }

  @Test("one channel counts in full", arguments: [(2, 1), (2, 0), (6, 2), (64, 63)])
  func oneSided(channels: Int, sounding: Int) throws {
    let silence = [Float](repeating: 0, count: tone.count)
    let all = (0..<channels).map { $0 == sounding ? tone : silence }
    #expect(abs(decibels(try reading(of: all).power) + 9.031) < 0.001)
  }

  @Test("samples that are no number count as 0 and the rest is measured")
  func notANumber() throws {
    var wild = tone
    for index in stride(from: 7, to: wild.count, by: 480) {
      wild[index] = [.nan, .infinity, -.infinity, .signalingNaN][index / 480 % 4]
    }
    let reading = try reading(of: [wild])
    #expect(abs(decibels(reading.power) + 9.03) < 0.1)
    #expect(abs(reading.peak - 0.5) < 1e-6)
  }

  @Test("one wild sample is told as the peak and does not drown the rest, nor what follows")
  func wildSample() throws {
    let ring = try SoundRing.create()
    var writer = RingWriter(ring: ring, wake: -1)
    var wild = tone
    wild[100] = 1e30
    writer.push([wild], time: time(ofFrame: 0))
    let first = try #require(ring.drainReading())
    #expect(abs(decibels(first.power) + 9.03) < 0.1)
    #expect(first.peak == 1000)
    writer.push([tone], time: time(ofFrame: 4800))
    let second = try #require(ring.drainReading())
    #expect(abs(decibels(second.power) + 9.031) < 0.001)
    #expect(abs(second.peak - 0.5) < 1e-6)
    #expect(ring.frames(from: 0)?[100] == 1)
  }

  @Test("denormal numbers are silence")
  func denormal() throws {
    let reading = try reading(of: [[Float](repeating: Float(bitPattern: 71_362), count: 4800)])
    #expect(reading.power == 0 && reading.peak == 0)
  }

  @Test("a reading is as exact on old sums, about to wrap, as on new ones")
  func age() throws {
    let ring = try SoundRing.create()
    for (offset, value) in [
      (RingLayout.sums, Int64.max - 1000), (RingLayout.squares, Int64.max - (1 << 40)),
      (RingLayout.measured, Int64.max),
    ] {
      var old = value
      pwrite(ring.descriptor, &old, 8, off_t(offset))
    }
    _ = ring.drainReading()
    var writer = RingWriter(ring: ring, wake: -1)
    for block in 0..<100 {
      let start = block * 1600
      let sound = sine(1500, amplitude: 0.5, frames: 1600, from: start)
      writer.push([sound], time: time(ofFrame: start))
      let reading = try #require(ring.drainReading())
      #expect(abs(decibels(reading.power) + 9.031) < 0.01)
      #expect(reading.frames == 1600)
    }
  }

  @Test("a drain without new frames is no reading")
  func nothingNew() throws {
    let ring = try SoundRing.create()
    var writer = RingWriter(ring: ring, wake: -1)
    writer.push([tone], time: time(ofFrame: 0))
    #expect(ring.drainReading() != nil)
    #expect(ring.drainReading() == nil)
    writer.push([tone.map { $0 / 2 }], time: time(ofFrame: 4800))
    #expect(abs(decibels(try #require(ring.drainReading()).power) + 15.052) < 0.001)
  }

  @Test("a pushed level is told as it came, limited, and only when it is new")
  func bareLevel() throws {
    let ring = try SoundRing.create()
    var writer = RingWriter(ring: ring, wake: -1)
    for (pushed, told) in [(Float(0.25), 0.25), (7, 1), (-1, 0), (.nan, 0)] {
      writer.pushLevel(pushed, time: 5)
      #expect(ring.drainReading()?.level == told)
      #expect(ring.drainReading() == nil)
    }
    #expect(ring.written == 0)
  }
}
