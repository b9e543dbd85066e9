/// What the daemon has to do after an event, in this order.
package enum SessionEffect: Equatable, Sendable {
  /// The verb's answer: the take acted on, 0 for none.
  case answer(UInt32)
  case tellPhase(Phase, take: UInt32)
  /// Whole seconds, and whole seconds left during the last ten, else `nil`.
  case tellElapsed(seconds: UInt32, remaining: UInt32?)
  case tellNotice(NoticeKind, take: UInt32, error: VoicedError?)
  case tellFinished(FinishedTake, RecordingFacts)
  case tellDiscarded(take: UInt32, Ending, error: VoicedError?)

  /// Start the source, if it does not run, and the take's process.
  case open(take: UInt32, TakeSettings)
  /// The take's sound begins at this frame of the ring.
  case record(take: UInt32, from: UInt64)
  /// The take's sound ends here; the source is no longer needed by it.
  case close(take: UInt32, CutPoint)
  /// Make the recording; `fileReady` follows.
  case keep(take: UInt32)
  /// Put the sound in the recovery area.
  case setAside(take: UInt32)
  /// Delete what there is.
  case drop(take: UInt32)
  /// Hand in `wake` at this time.
  case wake(at: UInt64)
}

/// Where a take's sound ends.
package enum CutPoint: Equatable, Sendable {
  /// Exactly at this frame of the ring, which is there already.
  case frame(UInt64)
  /// With the frame that was heard at this time, but not beyond the limit.
  case time(UInt64, limit: UInt64)
  /// With what the ring holds now, but not beyond the limit: the source is gone.
  case written(limit: UInt64)
}

/// What a finished take's ending tells beside the facts of its file.
package struct FinishedTake: Equatable, Sendable {
  package var take: UInt32
  package var ending: Ending
  package var settings: TakeSettings
  /// Seconds by the clock from the first real sound to the end.
  package var elapsed: Double
}
