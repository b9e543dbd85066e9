import Synchronization

extension SoundRing {
  /// Takes the reading over all frames since the last drain; the daemon alone, at its own tick.
  ///
  /// `nil` when nothing new was measured: that is no reading, and not silence.
  package func drainReading() -> MeterReading? {
    guard isWritable else { return nil }
    let memory = memory
    var now = drained
    let isConsistent: Void? = memory.consistent {
      now.measured = memory.load(RingLayout.measured)
      now.levels = memory.load(RingLayout.levels)
      now.level = memory.loadFloat(RingLayout.level)
      for channel in 0..<RingLayout.maximumChannels {
        now.sums[channel] = Int64(bitPattern: memory.load(RingLayout.sums + channel * 8))
        now.squares[channel] = Int64(bitPattern: memory.load(RingLayout.squares + channel * 8))
      }
    }
    guard isConsistent != nil else { return nil }
    // Whoever asks for a position while a writer is held up in a change gets one of now, not of long ago.
    _ = anchor
    let before = drained
    drained = now
    if now.levels != before.levels {
      let level = now.level.isFinite ? min(max(now.level, 0), 1) : 0
      return MeterReading(power: 0, peak: level, frames: 0, level: level)
    }
    let frames = now.measured &- before.measured
    // A window that long comes from a daemon that was stopped, or from a writer that lies.
    guard frames > 0, frames <= RingLayout.longestWindow else { return nil }
    let bits = memory.word(RingLayout.peak).pointee.exchange(0, ordering: .relaxed)
    let peak = Double(Float(bitPattern: UInt32(truncatingIfNeeded: bits)))
    return MeterReading(
      power: now.power(since: before), peak: peak.isFinite ? min(abs(peak), 1000) : 0,
      frames: Int(frames))
  }

  /// Tells the writer the power of the reading just made, so that it wakes the daemon at a clear
  /// rise above it, once.
  ///
  /// The daemon alone, after each reading, a reading of 0 too.
  package func note(readingPower power: Double) {
    guard isWritable else { return }
    memory.store(power.bitPattern, RingLayout.readingPower)
    let count = memory.load(RingLayout.readings)
    memory.word(RingLayout.readings).pointee.store(count &+ 1, ordering: .releasing)
  }
}
