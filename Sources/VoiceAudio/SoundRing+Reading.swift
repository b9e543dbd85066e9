import Synchronization

/// What reading from a ring gave.
package enum ReadOutcome: Equatable, Sendable {
  /// So many frames were copied; 0 when none are there yet.
  case copied(Int)
  /// The wanted frame is gone or was overwritten meanwhile; go on with `oldest`, the first frame
  /// that is still safe, with 50 ms to spare.
  case overrun(oldest: UInt64)
}

extension SoundRing {
  /// Frames between the oldest frame that is there and the one an overrun names: 50 ms, so that
  /// the reader is not overrun again before it comes back.
  private static let margin: UInt64 = 2400

  /// Copies the frames from number `from` on, as many as are there and fit.
  ///
  /// Each is finite and within -1...1 whatever the writer put there.
  package func read(from: UInt64, into buffer: UnsafeMutableBufferPointer<Float>) -> ReadOutcome {
    let written = written
    if let oldest = overrun(from) { return .overrun(oldest: oldest) }
    guard from < written, let target = buffer.baseAddress else { return .copied(0) }
    let count = Int(min(written - from, UInt64(min(buffer.count, Self.capacity))))
    let start = slot(from)
    let first = min(count, Self.capacity - start)
    copyChecked(memory.frames + start, to: target, count: first)
    copyChecked(memory.frames, to: target + first, count: count - first)
    // The copy must be over before the writer's claim is looked at.
    atomicMemoryFence(ordering: .acquiring)
    if let oldest = overrun(from) { return .overrun(oldest: oldest) }
    return .copied(count)
  }

  /// Where to go on when `from` is no longer safe to read, else `nil`.
  private func overrun(_ from: UInt64) -> UInt64? {
    let claimed = memory.load(RingLayout.claimed)
    guard claimed > UInt64(Self.capacity), from < claimed - UInt64(Self.capacity) else {
      return nil
    }
    return claimed - UInt64(Self.capacity) + Self.margin
  }
}

private func copyChecked(
  _ source: UnsafePointer<Float>, to target: UnsafeMutablePointer<Float>, count: Int
) {
  for index in 0..<count {
    let sample = source[index]
    // Written so that NaN fails the test too.
    target[index] = abs(sample) <= 1 ? sample : sample > 0 ? 1 : sample < 0 ? -1 : 0
  }
}
