/// How a take ended; the raw value is the word on the wire.
package enum Ending: String, Sendable, CaseIterable {
  case sent
  /// Cut exactly at the maximum duration, and sent.
  case maximum
  case tooShort = "too-short"
  case cancelled
  case interrupted
}
