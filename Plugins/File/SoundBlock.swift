/// A block of planar float sound with room for a fixed number of frames a channel.
final class SoundBlock {
  let channels: Int
  let capacity: Int
  /// One pointer a channel, in the form that C functions take.
  let planes: UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>
  private let storage: UnsafeMutablePointer<Float>

  init(channels: Int, capacity: Int) {
    self.channels = channels
    self.capacity = capacity
    storage = .allocate(capacity: channels * capacity)
    storage.initialize(repeating: 0, count: channels * capacity)
    planes = .allocate(capacity: channels)
    for channel in 0..<channels {
      let plane = UnsafeMutableRawPointer(storage + channel * capacity)
      (planes + channel).initialize(to: plane.assumingMemoryBound(to: UInt8.self))
    }
  }

  deinit {
    storage.deallocate()
    planes.deallocate()
  }

  subscript(channel: Int) -> UnsafeMutablePointer<Float> { storage + channel * capacity }
}
