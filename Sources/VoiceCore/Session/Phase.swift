/// Where a session stands; the raw value is the word on the wire.
package enum Phase: String, Sendable, CaseIterable {
  /// No take.
  case idle
  /// A take runs while a key or button is held.
  case holding
  /// A take runs hands-free.
  case locked
  /// An interruption closed a hands-free take; it waits for Send or Cancel.
  case stopped

  /// Whether sound is being recorded in this phase.
  package var isRecording: Bool { self == .holding || self == .locked }
}
