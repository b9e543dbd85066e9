import Synchronization

/// The steps of a push that are plain Swift: the compiler proves them free of locks and allocation.
extension RingWriter {
  /// Adds a block to every channel's sums and lets the channel rule look at them.
  @_noLocks @_noAllocation
  mutating func measure(
    _ planes: UnsafePointer<UnsafePointer<Float>?>, offset: Int, frames: Int
  ) {
    let weight = rule.weight(frames: frames)
    var peak: Float = 0
    for channel in 0..<channels {
      guard let plane = planes[channel] else { continue }
      let block = BlockSums.of(
        plane + offset, count: frames, pivot: Float(states[channel].mean))
      states[channel].add(block, frames: frames, weight: weight)
      peak = max(peak, block.peak)
    }
    measured &+= UInt64(frames)
    rule.choose(states)
    // Bit patterns of floats that are not negative order like the floats. Retries only when the
    // daemon takes the peak in this very instant.
    memory.word(RingLayout.peak).pointee.max(UInt64(peak.bitPattern), ordering: .relaxed)
  }

  /// Writes frames to the ring and tells of them, with the sums they belong to.
  ///
  /// Readers see, in this order: the claim, so that none trusts what is about to be overwritten;
  /// the frames; the figures; and last that the frames may be read.
  @_noLocks @_noAllocation
  mutating func publish(
    _ samples: UnsafePointer<Float>, frames: Int, start: UInt64, end: UInt64
  ) {
    let first = memory.load(RingLayout.written)
    let next = first &+ UInt64(frames)
    memory.store(next, RingLayout.claimed)
    atomicMemoryFence(ordering: .releasing)
    let slot = slot(first)
    let before = min(frames, SoundRing.capacity - slot)
    let target = memory.frames
    for index in 0..<before { target[slot + index] = samples[index] }
    for index in before..<frames { target[index - before] = samples[index] }
    beginChange()
    if frames > 0 {
      memory.store(first, RingLayout.anchorFrame)
      memory.store(start, RingLayout.anchorTime)
    }
    memory.store(end, RingLayout.end)
    memory.store(measured, RingLayout.measured)
    memory.store(UInt64(channels), RingLayout.channels)
    for channel in 0..<channels {
      memory.store(UInt64(bitPattern: states[channel].sum), RingLayout.sums + channel * 8)
      memory.store(UInt64(bitPattern: states[channel].squares), RingLayout.squares + channel * 8)
    }
    endChange()
    memory.word(RingLayout.written).pointee.store(next, ordering: .releasing)
  }

  @_noLocks @_noAllocation
  mutating func publishLevel(time: UInt64) {
    beginChange()
    memory.store(time, RingLayout.end)
    memory.store(UInt64(level.bitPattern), RingLayout.level)
    memory.store(memory.load(RingLayout.levels) &+ 1, RingLayout.levels)
    endChange()
  }

  /// Adds what never came before a push to the time lost; the nanoseconds since the last push.
  ///
  /// `limit` is the longest pause that is still the device's own unevenness.
  @_noLocks @_noAllocation
  mutating func addGap(before time: UInt64, beyond limit: UInt64) -> UInt64 {
    let end = memory.load(RingLayout.end)
    guard end != 0, time > end else { return 0 }
    if time - end > limit {
      beginChange()
      memory.store(memory.load(RingLayout.lost) &+ (time - end), RingLayout.lost)
      endChange()
    }
    return time - end
  }

  /// When the daemon took a reading, the next rise is judged from the frames after it.
  @_noLocks @_noAllocation
  mutating func noteReading() {
    let now = memory.word(RingLayout.readings).pointee.load(ordering: .acquiring)
    guard now != readings else { return }
    readings = now
    hasWoken = false
    levelAtReading = level
    measuredAtReading = measured
    for channel in 0..<channels {
      states[channel].sumAtReading = states[channel].sum
      states[channel].squaresAtReading = states[channel].squares
    }
  }

  /// Whether the sound since the last reading is clearly louder than that reading was.
  @_noLocks @_noAllocation
  func hasRisen() -> Bool {
    let frames = measured &- measuredAtReading
    guard !hasWoken, frames > 0, frames <= RingLayout.longestWindow else { return false }
    let last = Double(bitPattern: memory.load(RingLayout.readingPower))
    let wanted = last > 0 ? max(Self.audible, last * Self.rise) : Self.audible
    for channel in 0..<channels {
      let state = states[channel]
      let power = meanSquare(
        sum: state.sum &- state.sumAtReading,
        squares: state.squares &- state.squaresAtReading, frames: frames)
      if power > wanted { return true }
    }
    return false
  }

  @inline(__always)
  private func beginChange() {
    memory.store(memory.load(RingLayout.sequence) &+ 1, RingLayout.sequence)
    atomicMemoryFence(ordering: .releasing)
  }

  @inline(__always)
  private func endChange() {
    let sequence = memory.word(RingLayout.sequence)
    sequence.pointee.store(memory.load(RingLayout.sequence) &+ 1, ordering: .releasing)
  }
}
