/// What the raw samples say of a microphone; it warns, it never deletes or shortens anything.
package enum Verdict: String, CaseIterable, Sendable {
  /// Nothing there: digital zeros or a hardware mute.
  case none
  /// Something, but too quiet to be speech near the microphone.
  case low
  case ok
  /// At least one sample at or over full scale.
  case clipped

  /// -60 dBFS: a hardware mute was seen at 0.0005 to 0.001, a live room at 0.0042 and above.
  package static let silence = 0.001
  /// -40 dBFS.
  package static let quiet = 0.01

  /// The verdict on the highest absolute sample, full scale 1.
  package init(peak: Double) {
    switch peak {
    case 1...: self = .clipped
    case Self.quiet...: self = .ok
    case Self.silence...: self = .low
    default: self = .none
    }
  }
}

/// Keeps what a verdict needs: the highest sample of the last 2 s, and of all.
package struct VerdictMeter: Equatable, Sendable {
  /// Nanoseconds of one of the stretches that make up the last 2 s.
  private static let stretch: UInt64 = 250_000_000
  private static let stretches = 8

  private var recent = [Double](repeating: 0, count: Self.stretches)
  private var newest: UInt64 = 0
  /// Highest absolute sample of all.
  package private(set) var peak = 0.0

  package init() {}

  /// Takes the highest absolute sample of a reading; `now` is in nanoseconds and never goes back.
  package mutating func add(peak: Double, at now: UInt64) {
    let peak = peak.isFinite ? peak.magnitude : 0
    advance(to: now)
    let slot = Int(newest % UInt64(Self.stretches))
    recent[slot] = max(recent[slot], peak)
    self.peak = max(self.peak, peak)
  }

  /// The verdict on the last 2 s (1.75 to 2 s: stretches of 0.25 s are forgotten as a whole).
  package mutating func verdict(at now: UInt64) -> Verdict {
    advance(to: now)
    return Verdict(peak: recent.max() ?? 0)
  }

  private mutating func advance(to now: UInt64) {
    let stretch = now / Self.stretch
    guard stretch > newest else { return }
    for step in 1...min(stretch - newest, UInt64(Self.stretches)) {
      recent[Int((newest + step) % UInt64(Self.stretches))] = 0
    }
    newest = stretch
  }
}
