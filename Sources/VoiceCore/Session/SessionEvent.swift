/// What can happen to a session; times travel beside it, in nanoseconds of CLOCK_MONOTONIC.
package enum SessionEvent: Equatable, Sendable {
  /// Begin a take unless one runs.
  case begin(take: UInt32, held: Bool, settings: TakeSettings, caller: String?)
  case release
  case lock
  case send
  case cancel

  /// The first real sound of a take has arrived: the ring's frame it begins at, and the seconds
  /// of that which were heard before the take was asked for (pre-roll).
  case began(take: UInt32, frame: UInt64, preRoll: Double)
  /// The ring holds this many frames; told at each reading, and while a source is silent too.
  case progress(written: UInt64)
  /// The time asked for by `SessionEffect.wake` has come.
  case wake
  /// A hands-free take has heard no speech for as long as its settings allow.
  case quiet(take: UInt32)
  /// Why no sound has come so far: what is told when the take is ended before any does.
  case absent(take: UInt32, VoicedError)
  /// The source could not start, or ended without any sound.
  case sourceFailed(take: UInt32, VoicedError)
  /// The source came to the end of its material.
  case sourceEnded(take: UInt32)
  /// The machine sleeps, the source is gone for good, access was switched off, and the like.
  case interruption(VoicedError?)
  /// The session ends, with its owner or with the daemon: what runs or is stopped is set aside.
  case closed
  /// A view detached or left the bus.
  case viewGone(String)

  /// The take process has the recording at its final name.
  case fileReady(take: UInt32, RecordingFacts)
  /// The take process could not go on.
  case fileFailed(take: UInt32, VoicedError)
}
