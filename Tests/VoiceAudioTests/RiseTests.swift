import CLinux
import Glibc
import Testing
import VoiceAudio

@Suite("Waking the daemon")
struct RiseTests {
  /// A writer with a real eventfd, pushing quanta of 1024 frames one after another.
  private final class Rig {
    let ring: SoundRing
    let wake: Int32
    var writer: RingWriter
    var frame = 0

    init() throws {
      ring = try SoundRing.create()
      wake = eventfd(0, Int32(EFD_NONBLOCK | EFD_CLOEXEC))
      writer = RingWriter(ring: ring, wake: wake)
    }

    deinit { close(wake) }

    /// Pushes a sine; true when that woke the daemon.
    func push(_ amplitude: Double) -> Bool {
      writer.push(
        [sine(1000, amplitude: amplitude, frames: 1024, from: frame)], time: time(ofFrame: frame))
      frame += 1024
      return woke()
    }

    func woke() -> Bool {
      var count: UInt64 = 0
      return read(wake, &count, 8) == 8
    }

    /// What the daemon does at its tick.
    func tick() { ring.note(readingPower: ring.drainReading()?.power ?? 0) }
  }

  @Test("the first frames wake, silence and steady sound do not")
  func steady() throws {
    let rig = try Rig()
    #expect(rig.push(0))
    for _ in 0..<10 {
      rig.tick()
      #expect(!rig.push(0))
    }
    #expect(rig.push(0.5))
    for _ in 0..<10 {
      rig.tick()
      #expect(!rig.push(0.5))
    }
  }

  @Test("a clear rise wakes once a reading, a small one and a fall do not")
  func rise() throws {
    let rig = try Rig()
    _ = rig.push(0.05)
    rig.tick()
    #expect(!rig.push(0.07))
    rig.tick()
    #expect(rig.push(0.3))
    #expect(!rig.push(0.9))
    rig.tick()
    #expect(!rig.push(0.1))
    rig.tick()
    #expect(!rig.push(0.0001))
  }

  @Test("what no meter would show wakes nobody")
  func inaudible() throws {
    let rig = try Rig()
    _ = rig.push(0)
    rig.tick()
    #expect(!rig.push(0.003))
    rig.tick()
    #expect(!rig.push(0.006))
  }

  @Test("a new process and the return of sound after a quarter of a second wake")
  func news() throws {
    let rig = try Rig()
    _ = rig.push(0)
    rig.tick()
    rig.frame += 4800
    #expect(!rig.push(0))
    rig.frame += 24_000
    #expect(rig.push(0))
    rig.writer = RingWriter(ring: rig.ring, wake: rig.wake)
    #expect(rig.push(0))
  }

  @Test("a bare level that rises clearly wakes once a reading")
  func levels() throws {
    let rig = try Rig()
    rig.writer.pushLevel(0.1, time: 1_000_000_000)
    #expect(rig.woke())
    rig.tick()
    rig.writer.pushLevel(0.2, time: 1_033_000_000)
    #expect(!rig.woke())
    rig.writer.pushLevel(0.6, time: 1_066_000_000)
    #expect(rig.woke())
    rig.writer.pushLevel(0.9, time: 1_100_000_000)
    #expect(!rig.woke())
  }
}
