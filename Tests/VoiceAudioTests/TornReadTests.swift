import Glibc
import Synchronization
import Testing
import VoiceAudio

@Suite("Reading while a thread writes")
struct TornReadTests {
  /// What the writing thread works with.
  private struct Job: ~Copyable {
    let descriptor: Int32
    let shouldStop = Atomic<Bool>(false)
  }

  /// Every frame says its own number, so that one from another turn of the ring is found out.
  private static func sample(_ frame: UInt64) -> Float { Float(frame % (1 << 23)) / Float(1 << 23) }

  @Test("no frame is torn and no anchor is half of two, on the edge of an overrun too")
  func torn() throws {
    let ring = try SoundRing.create()
    let job = UnsafeMutablePointer<Job>.allocate(capacity: 1)
    job.initialize(to: Job(descriptor: dup(ring.descriptor)))
    var thread = pthread_t()
    let code = pthread_create(
      &thread, nil,
      { argument in
        guard let job = argument?.assumingMemoryBound(to: Job.self),
          let ring = try? SoundRing(descriptor: job.pointee.descriptor, writable: true)
        else { return nil }
        var writer = RingWriter(ring: ring, wake: -1)
        var frame: UInt64 = 0
        let block = UnsafeMutablePointer<Float>.allocate(capacity: 1500)
        defer { block.deallocate() }
        while !job.pointee.shouldStop.load(ordering: .relaxed) {
          for index in 0..<1500 { block[index] = TornReadTests.sample(frame + UInt64(index)) }
          var plane: UnsafePointer<Float>? = UnsafePointer(block)
          writer.push(&plane, frames: 1500, time: 1_000_000_000 + frame * 20_833)
          frame += 1500
        }
        return nil
      }, job)
    #expect(code == 0)
    defer {
      job.pointee.shouldStop.store(true, ordering: .relaxed)
      pthread_join(thread, nil)
      job.deinitialize(count: 1)
      job.deallocate()
    }

    let buffer = UnsafeMutableBufferPointer<Float>.allocate(capacity: 4096)
    defer { buffer.deallocate() }
    let capacity = UInt64(SoundRing.capacity)
    let end = time(nil) + 20
    var wrong = 0
    var copies = 0
    var overruns = 0
    while ring.written < 3 * capacity || copies == 0 || overruns == 0, time(nil) < end {
      if let anchor = ring.anchor, anchor.time != 1_000_000_000 + anchor.frame * 20_833 {
        wrong += 1
      }
      // The oldest frames there are: just about to be overwritten.
      let written = ring.written
      guard written > capacity else { continue }
      let from = written - capacity + UInt64.random(in: 0..<3000)
      switch ring.read(from: from, into: buffer) {
      case .overrun(let oldest):
        overruns += 1
        if oldest <= from { wrong += 1 }
      case .copied(let count):
        copies += 1
        for index in 0..<count where buffer[index] != Self.sample(from + UInt64(index)) {
          wrong += 1
        }
      }
    }
    #expect(wrong == 0)
    #expect(copies > 0 && overruns > 0)
  }
}
