import Synchronization

/// The mapped bytes of a ring, and its fields as atomics at their fixed offsets.
///
/// Does not own the mapping: `SoundRing` does.
struct RingMemory {
  let base: UnsafeMutableRawPointer

  @inline(__always)
  func word(_ offset: Int) -> UnsafeMutablePointer<Atomic<UInt64>> {
    base.advanced(by: offset).assumingMemoryBound(to: Atomic<UInt64>.self)
  }

  @inline(__always)
  func load(_ offset: Int) -> UInt64 { word(offset).pointee.load(ordering: .relaxed) }

  func loadFloat(_ offset: Int) -> Double {
    Double(Float(bitPattern: UInt32(truncatingIfNeeded: load(offset))))
  }

  @inline(__always)
  func store(_ value: UInt64, _ offset: Int) {
    word(offset).pointee.store(value, ordering: .relaxed)
  }

  @inline(__always)
  var frames: UnsafeMutablePointer<Float> {
    base.advanced(by: RingLayout.frames).assumingMemoryBound(to: Float.self)
  }
}

/// Index of a frame number in the ring.
@inline(__always)
func slot(_ frame: UInt64) -> Int { Int(frame % UInt64(SoundRing.capacity)) }
