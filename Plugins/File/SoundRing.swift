import CAV
import Synchronization

/// Sound on its way from the decoder thread to the audio thread: one writer, one reader, no lock.
///
/// All memory is allocated and touched when it is made.
struct SoundRing: ~Copyable {
  let channels: Int
  /// Frames; a power of two.
  let capacity: Int
  private let storage: UnsafeMutablePointer<Float>
  private let written = Atomic<Int>(0)
  private let read = Atomic<Int>(0)
  private let finished = Atomic<Bool>(false)
  private let late = Atomic<Int>(0)

  init(channels: Int, capacity: Int) {
    self.channels = channels
    self.capacity = capacity
    storage = .allocate(capacity: channels * capacity)
    storage.initialize(repeating: 0, count: channels * capacity)
  }

  deinit { storage.deallocate() }

  /// Frames that were asked for before they were there, and came as silence. [any]
  var lateFrames: Int { late.load(ordering: .relaxed) }

  /// Frames ahead of the reader. [decoder]
  var fill: Int { written.load(ordering: .relaxed) - read.load(ordering: .acquiring) }

  /// Tells the reader that nothing follows what has been written. [decoder]
  func finish() { finished.store(true, ordering: .releasing) }

  /// Copies what there is room for, from frame `offset` of a piece on; answers how much. [decoder]
  ///
  /// Channels that the piece does not have are silent, those beyond the ring's are left out.
  func write(_ slice: Pass.Slice, from offset: Int) -> Int {
    let position = written.load(ordering: .relaxed)
    let count = min(slice.frames - offset, capacity - fill)
    let start = position & (capacity - 1)
    let first = min(count, capacity - start)
    for channel in 0..<channels {
      let plane = storage + channel * capacity
      if channel < slice.block.channels {
        let source = slice.block[channel] + offset
        (plane + start).update(from: source, count: first)
        plane.update(from: source + first, count: count - first)
      } else {
        (plane + start).update(repeating: 0, count: first)
        plane.update(repeating: 0, count: count - first)
      }
    }
    written.store(position + count, ordering: .releasing)
    return count
  }

  /// Copies the next frames out; answers how many, 0 at the end. [audio]
  ///
  /// What has not been decoded in time is silence, so that only the end gives fewer than asked.
  @_noLocks @_noAllocation
  func take(_ out: UnsafePointer<UnsafeMutablePointer<Float>?>, _ frames: Int) -> Int {
    let isLast = finished.load(ordering: .acquiring)
    let position = read.load(ordering: .relaxed)
    let count = min(frames, written.load(ordering: .acquiring) - position)
    let start = position & (capacity - 1)
    let first = min(count, capacity - start)
    let filler = isLast ? 0 : frames - count
    for channel in 0..<channels {
      guard let target = out[channel] else { continue }
      let plane = storage + channel * capacity
      for index in 0..<first { target[index] = plane[start + index] }
      for index in first..<count { target[index] = plane[index - first] }
      for index in count..<(count + filler) { target[index] = 0 }
    }
    read.store(position + count, ordering: .releasing)
    if filler > 0 { late.wrappingAdd(filler, ordering: .relaxed) }
    return count + filler
  }
}
