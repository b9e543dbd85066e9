extension SoundRing {
  /// Whether something was measured since the last drain; the daemon alone.
  package var hasNews: Bool {
    memory.load(RingLayout.measured) != drained.measured
      || memory.load(RingLayout.levels) != drained.levels
  }
}
