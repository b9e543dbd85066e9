import CLinux
import Glibc
import Testing
import VoiceAudio

@Suite("The sound ring")
struct SoundRingTests {
  @Test("what is pushed is what is read, across the wrap")
  func wrap() throws {
    let ring = try SoundRing.create()
    var writer = RingWriter(ring: ring, wake: -1)
    writer.use(rate: 48_000, channels: 1, converter: nil)
    var expected: UInt64 = 0
    for block in 0..<500 {
      let sound = sine(317, frames: 1000, from: block * 1000)
      writer.push([sound], time: time(ofFrame: block * 1000))
      #expect(ring.frames(from: expected) == sound)
      expected += 1000
      #expect(ring.written == expected)
    }
  }

  @Test("a reader that is too late is told where to go on")
  func overrun() throws {
    let ring = try SoundRing.create()
    var writer = RingWriter(ring: ring, wake: -1)
    let total = SoundRing.capacity + 10_000
    writer.push([sine(100, frames: total)], time: time(ofFrame: 0))
    var copy = [Float](repeating: 0, count: 100)
    let late = copy.withUnsafeMutableBufferPointer { ring.read(from: 0, into: $0) }
    guard case .overrun(let oldest) = late else {
      Issue.record("no overrun")
      return
    }
    #expect(oldest >= 10_000 && oldest < 10_000 + 48_000)
    #expect(ring.frames(from: oldest)?.first == sine(100, frames: 1, from: Int(oldest)).first)
  }

  @Test("nothing is there before the first push, and a frame of the future is only not there yet")
  func empty() throws {
    let ring = try SoundRing.create()
    #expect(ring.written == 0)
    #expect(ring.anchor == nil)
    #expect(ring.end == nil)
    #expect(ring.frame(at: 5) == nil)
    #expect(ring.drainReading() == nil)
    #expect(ring.frames(from: 77) == [])
    #expect(ring.frames(from: .max) == [])
  }

  @Test("a time is told as a frame, forwards and backwards from the last push")
  func anchor() throws {
    let ring = try SoundRing.create()
    var writer = RingWriter(ring: ring, wake: -1)
    for block in 0..<3 {
      writer.push([sine(100, frames: 480)], time: time(ofFrame: block * 480))
    }
    #expect(ring.anchor?.frame == 960)
    #expect(ring.anchor?.time == time(ofFrame: 960))
    #expect(ring.end == time(ofFrame: 1440))
    #expect(ring.frame(at: time(ofFrame: 0)) == 0)
    #expect(ring.frame(at: time(ofFrame: 100)) == 100)
    #expect(ring.frame(at: time(ofFrame: 4800)) == 4800)
    #expect(ring.frame(at: 0) == 0)
    #expect(ring.frame(at: .max) != nil)
  }

  @Test("a gap over 60 ms is time lost, a late quantum is not, and a new writer goes on counting")
  func lost() throws {
    let ring = try SoundRing.create()
    do {
      var writer = RingWriter(ring: ring, wake: -1)
      writer.push([sine(100, frames: 480)], time: 1_000_000_000)
      writer.push([sine(100, frames: 480)], time: 1_060_000_000)  // 50 ms late
      #expect(ring.lost == 0)
      writer.push([sine(100, frames: 480)], time: 1_170_000_000)  // 100 ms late
      #expect(ring.lost == 100_000_000)
    }
    var next = RingWriter(ring: ring, wake: -1)
    next.push([sine(100, frames: 480)], time: 2_180_000_000)
    #expect(ring.lost == 1_100_000_000)
    #expect(ring.written == 4 * 480)
  }

  @Test("a second mapping reads the same frames and cannot write")
  func secondMapping() throws {
    let ring = try SoundRing.create()
    let copy = try SoundRing(descriptor: dup(ring.descriptor), writable: false)
    var writer = RingWriter(ring: ring, wake: -1)
    let sound = sine(440, frames: 700)
    writer.push([sound], time: 1_000_000_000)
    #expect(copy.frames(from: 0) == sound)
    #expect(copy.drainReading() == nil)
    copy.note(readingPower: 1)
    #expect(ring.drainReading()?.frames == 700)
  }

  @Test("what is no ring of ours is refused", arguments: ["size", "seal", "magic", "none"])
  func refused(kind: String) throws {
    let size = off_t(8192 + SoundRing.capacity * 4)
    let file = clinux_memfd_create("unsealed", 0)
    try #require(file >= 0)
    defer { close(file) }
    ftruncate(file, kind == "size" ? 4096 : size)
    var descriptor = file
    if kind == "none" { descriptor = -1 }
    var spoilt: SoundRing?
    if kind == "magic" {
      let ring = try SoundRing.create()
      descriptor = ring.descriptor
      pwrite(descriptor, "NOTARING", 8, 0)
      spoilt = ring
    }
    #expect(throws: RingError.self) {
      _ = try SoundRing(descriptor: descriptor, writable: false)
    }
    withExtendedLifetime(spoilt) {}
  }

  @Test("samples that are no sound never come out, whatever is in the memory")
  func spoiltMemory() throws {
    let ring = try SoundRing.create()
    var writer = RingWriter(ring: ring, wake: -1)
    writer.push([sine(440, frames: 100)], time: 1_000_000_000)
    let wild: [Float] = [.nan, .infinity, -.infinity, 7, -1e30, 0.25]
    wild.withUnsafeBytes { _ = pwrite(ring.descriptor, $0.baseAddress, $0.count, 8192) }
    #expect(ring.frames(from: 0)?.prefix(6) == [0, 1, -1, 1, -1, 0.25])
    var absurd = UInt64.max - 3
    for offset in stride(from: 64, to: 1024, by: 8) {
      pwrite(ring.descriptor, &absurd, 8, off_t(offset))
      _ = ring.drainReading()
      _ = ring.frames(from: 3)
      _ = ring.frames(from: .max - 10)
      _ = (ring.anchor, ring.end, ring.lost, ring.frame(at: 5))
      // Who counts on from any of them does not overflow.
      let frames = [ring.written, ring.anchor?.frame ?? 0, ring.frame(at: .max) ?? 0]
      #expect(frames.allSatisfy { $0 < 1 << 63 })
    }
  }
}
