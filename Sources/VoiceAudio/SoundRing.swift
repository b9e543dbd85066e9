import CLinux
import Glibc
import Synchronization

/// Eight seconds of mono 48 kHz sound in shared memory, written by a source process.
///
/// The daemon makes it before the source process starts and keeps it while the process is started
/// again; `voiced-take` maps the same memory. Reading never disturbs the writer. All that lies in
/// it is untrusted: figures are bounded and floats are checked on the way out, so that a source
/// can spoil its own sound and nothing else. One object belongs to one thread.
package final class SoundRing {
  /// Frames that fit: 8.192 s.
  package static let capacity = 393_216
  /// Frames a second, whatever the device runs at.
  package static let rate = 48_000

  /// The sealed memfd, owned by the ring and closed with it; -1 once released.
  package private(set) var descriptor: Int32
  let memory: RingMemory
  let isWritable: Bool
  /// The last consistent positions, told again while a dead writer has left the fields half done.
  private var known = Positions()
  /// What `drainReading` has taken so far.
  var drained = MeterSums()

  /// Makes an empty ring; daemon and tests.
  package static func create() throws(RingError) -> SoundRing {
    let descriptor = clinux_memfd_create("voiced-ring", closeOnExec | allowSealing)
    guard descriptor >= 0 else { throw .system(operation: "memfd_create", code: errno) }
    do throws(RingError) {
      guard ftruncate(descriptor, off_t(RingLayout.size)) == 0 else {
        throw .system(operation: "ftruncate", code: errno)
      }
      guard clinux_seal(descriptor) == 0 else { throw .system(operation: "seal", code: errno) }
      let memory = try map(descriptor, writable: true)
      memory.store(RingLayout.version, RingLayout.versionOffset)
      memory.store(UInt64(capacity), RingLayout.capacityOffset)
      memory.store(RingLayout.magic, RingLayout.magicOffset)
      return SoundRing(descriptor, memory, isWritable: true)
    } catch {
      close(descriptor)
      throw error
    }
  }

  /// Opens a ring that another process made, and takes over its descriptor.
  ///
  /// The descriptor stays the caller's when this throws.
  package convenience init(descriptor: Int32, writable: Bool) throws(RingError) {
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw .system(operation: "fstat", code: errno) }
    guard status.st_size == off_t(RingLayout.size) else {
      throw .unusable("\(status.st_size) bytes instead of \(RingLayout.size)")
    }
    let seals = fcntl(descriptor, getSeals)
    guard seals >= 0, seals & sizeSeals == sizeSeals else {
      throw .unusable("its size is not sealed")
    }
    let memory = try Self.map(descriptor, writable: writable)
    guard memory.load(RingLayout.magicOffset) == RingLayout.magic,
      memory.load(RingLayout.versionOffset) == RingLayout.version,
      memory.load(RingLayout.capacityOffset) == UInt64(Self.capacity)
    else {
      munmap(memory.base, RingLayout.size)
      throw .unusable("magic, version or capacity differ")
    }
    self.init(descriptor, memory, isWritable: writable)
  }

  private init(_ descriptor: Int32, _ memory: RingMemory, isWritable: Bool) {
    self.descriptor = descriptor
    self.memory = memory
    self.isWritable = isWritable
  }

  deinit {
    munmap(memory.base, RingLayout.size)
    releaseDescriptor()
  }

  /// Closes the descriptor early: the memory stays mapped without it.
  package func releaseDescriptor() {
    if descriptor >= 0 { close(descriptor) }
    descriptor = -1
  }

  /// Maps and touches every page, so that memory use does not grow during a take.
  private static func map(_ descriptor: Int32, writable: Bool) throws(RingError) -> RingMemory {
    let access = writable ? PROT_READ | PROT_WRITE : PROT_READ
    guard
      let base = mmap(
        nil, RingLayout.size, access, Int32(MAP_SHARED) | Int32(MAP_POPULATE), descriptor, 0),
      base != MAP_FAILED
    else { throw .system(operation: "mmap", code: errno) }
    return RingMemory(base: base)
  }

  /// A number that no frame has (three million years): what a fault wrote there is cut to it, so that
  /// sums with it do not overflow.
  private static let beyondAll: UInt64 = 1 << 62

  /// Frames written since the ring was made; the next frame has this number.
  package var written: UInt64 {
    let written = memory.word(RingLayout.written).pointee.load(ordering: .acquiring)
    // Claimed before it was written: what is not has been spoilt by somebody.
    let claimed = memory.word(RingLayout.claimed).pointee.load(ordering: .relaxed)
    return min(written, claimed, Self.beyondAll)
  }

  /// Number and CLOCK_MONOTONIC ns of the first frame of the last push; `nil` before any.
  package var anchor: (frame: UInt64, time: UInt64)? {
    let now = positions
    return now.end == 0 ? nil : (now.anchorFrame, now.anchorTime)
  }

  /// CLOCK_MONOTONIC ns at which the last push ended; `nil` before any.
  package var end: UInt64? {
    let now = positions
    return now.end == 0 ? nil : now.end
  }

  /// Nanoseconds that never came: the sum of all gaps longer than 60 ms between pushes, also across
  /// a restart of the source process.
  package var lost: UInt64 { positions.lost }

  /// The frame that sounds at a CLOCK_MONOTONIC time, counted from the anchor at 48 kHz.
  ///
  /// The result may lie in the future (not written yet) or before what the ring still holds.
  package func frame(at time: UInt64) -> UInt64? {
    guard let anchor else { return nil }
    let later = time >= anchor.time
    // A day either way: whoever asks for more has been told nonsense, and nothing must overflow.
    let distance = min(later ? time - anchor.time : anchor.time - time, 86_400_000_000_000)
    let frames = (distance * 48 + 500_000) / 1_000_000
    if later { return anchor.frame + frames }
    return anchor.frame > frames ? anchor.frame - frames : 0
  }

  private struct Positions {
    var anchorFrame: UInt64 = 0
    var anchorTime: UInt64 = 0
    var end: UInt64 = 0
    var lost: UInt64 = 0
  }

  private var positions: Positions {
    let memory = memory
    let read = memory.consistent {
      Positions(
        anchorFrame: min(memory.load(RingLayout.anchorFrame), Self.beyondAll),
        anchorTime: memory.load(RingLayout.anchorTime), end: memory.load(RingLayout.end),
        lost: memory.load(RingLayout.lost))
    }
    if let read { known = read }
    return known
  }
}

extension RingMemory {
  /// Reads fields of one moment; `nil` when the writer stays in the middle of a change, which is
  /// what a writer that was killed there looks like.
  func consistent<Value>(_ read: () -> Value) -> Value? {
    // A change takes well under a microsecond; a thousand looks outlast any that goes on.
    for _ in 0..<1000 {
      let before = word(RingLayout.sequence).pointee.load(ordering: .acquiring)
      guard before & 1 == 0 else { continue }
      let value = read()
      atomicMemoryFence(ordering: .acquiring)
      if load(RingLayout.sequence) == before { return value }
    }
    return nil
  }
}

// GNU-only names of <fcntl.h> and <linux/memfd.h> that the Glibc module leaves out.
private let closeOnExec: UInt32 = 1  // MFD_CLOEXEC
private let allowSealing: UInt32 = 2  // MFD_ALLOW_SEALING
private let getSeals: Int32 = 1034  // F_GET_SEALS
private let sizeSeals: Int32 = 2 | 4  // F_SEAL_SHRINK, F_SEAL_GROW
