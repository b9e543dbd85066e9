/// One recorder session: decides what each event means in each phase.
///
/// A value without clock or input and output: the daemon hands in events with their times and
/// performs the effects in order. Every verb is legal in every phase and answers once. A take has
/// exactly one ending, told as `tellFinished` or `tellDiscarded`.
package struct SessionMachine: Sendable {
  package private(set) var phase = Phase.idle
  /// The take that runs or is stopped.
  private var current: Take?
  /// Takes whose recording is being made, by number.
  private var finishing: [UInt32: FinishedTake] = [:]
  /// Seconds within which a Press after a Release joins the two; 0 to 0.2.
  private let releaseGrace: Double

  package init(releaseGrace: Double = 0) { self.releaseGrace = releaseGrace }

  /// The number of the take that runs or is stopped, else 0.
  package var take: UInt32 { current?.number ?? 0 }

  /// The settings of the take that runs or is stopped.
  package var settings: TakeSettings? { current?.settings }

  /// The ring's frame at which the running take's sound begins, once it has begun.
  package var firstFrame: UInt64? { current?.firstFrame }

  /// Seconds since the first real sound of the take; frozen while stopped, 0 at rest.
  package func elapsed(at now: UInt64) -> Double { current?.elapsed(at: now) ?? 0 }

  /// Takes whose ending is still to be told, besides the running one.
  package var pending: [UInt32] { finishing.keys.sorted() }

  package mutating func handle(_ event: SessionEvent, at now: UInt64) -> [SessionEffect] {
    switch event {
    case .begin(let take, let held, let settings, let caller):
      begin(take, held: held, settings: settings, caller: caller, at: now)
    case .release: release(at: now)
    case .lock: lock()
    case .send: send(at: now)
    case .cancel: cancel()
    case .began(let take, let frame, let preRoll):
      began(take, frame: frame, preRoll: preRoll, at: now)
    case .absent(let take, let error): absent(take, error)
    case .progress(let written): progress(written: written, at: now)
    case .wake: wake(at: now)
    case .quiet(let take):
      if phase == .locked, current?.number == take, current?.firstFrame != nil {
        finish(.sent, at: now)
      } else {
        []
      }
    case .sourceFailed(let take, let error): sourceFailed(take, error)
    case .sourceEnded(let take): sourceEnded(take, at: now)
    case .interruption(let error): interrupt(error, at: now)
    case .closed: close()
    case .viewGone(let view): current?.caller == view ? interrupt(nil, at: now) : []
    case .fileReady(let take, let facts): fileReady(take, facts)
    case .fileFailed(let take, let error): fileFailed(take, error)
    }
  }

  // MARK: Verbs

  private mutating func begin(
    _ number: UInt32, held: Bool, settings: TakeSettings, caller: String?, at now: UInt64
  ) -> [SessionEffect] {
    if held, phase == .holding, let joined = current, joined.releasedAt != nil {
      current?.releasedAt = nil
      return [.answer(joined.number)]
    }
    guard phase == .idle, number > 0 else { return [.answer(0)] }
    current = Take(number: number, settings: settings, caller: caller, askedAt: now)
    phase = held ? .holding : .locked
    return [
      .answer(number), .tellPhase(phase, take: number), .open(take: number, settings),
    ]
  }

  private mutating func release(at now: UInt64) -> [SessionEffect] {
    guard phase == .holding, let take = current, take.releasedAt == nil else { return [.answer(0)] }
    guard releaseGrace > 0 else { return [.answer(take.number)] + finish(.sent, at: now) }
    current?.releasedAt = now
    return [.answer(take.number), .wake(at: endOfGrace(now))]
  }

  private mutating func lock() -> [SessionEffect] {
    guard phase == .holding, let take = current else { return [.answer(0)] }
    current?.releasedAt = nil
    phase = .locked
    return [.answer(take.number), .tellPhase(.locked, take: take.number)]
  }

  private mutating func send(at now: UInt64) -> [SessionEffect] {
    guard let take = current else { return [.answer(0)] }
    guard phase == .stopped else {
      return [.answer(take.number)] + finish(.sent, at: take.releasedAt ?? now)
    }
    return [.answer(take.number)] + leave(take) + keep(take, .sent, at: now)
  }

  private mutating func cancel() -> [SessionEffect] {
    guard let take = current else { return [.answer(0)] }
    return [.answer(take.number)] + discard(take, .cancelled)
  }

  // MARK: The source

  private mutating func began(
    _ number: UInt32, frame: UInt64, preRoll: Double, at now: UInt64
  ) -> [SessionEffect] {
    // What comes during the release grace comes too late for a take that nobody joins again.
    guard phase.isRecording, let take = current, take.number == number, take.firstFrame == nil,
      take.releasedAt == nil
    else { return [] }
    current?.firstFrame = frame
    current?.startedAt = now
    current?.preRoll = preRoll
    return [
      .record(take: number, from: frame), .tellNotice(.started, take: number, error: nil),
    ] + tellElapsed(at: now)
  }

  private mutating func absent(_ number: UInt32, _ error: VoicedError) -> [SessionEffect] {
    if current?.number == number { current?.absence = error }
    return []
  }

  private mutating func progress(written: UInt64, at now: UInt64) -> [SessionEffect] {
    guard phase.isRecording, let take = current, let first = take.firstFrame else { return [] }
    current?.frames = written > first ? written - first : 0
    if let last = take.lastFrame, written >= last {
      return finish(.maximum, at: now)
    }
    return tellElapsed(at: now)
  }

  private mutating func wake(at now: UInt64) -> [SessionEffect] {
    guard phase == .holding, let released = current?.releasedAt else { return [] }
    guard now >= endOfGrace(released) else { return [.wake(at: endOfGrace(released))] }
    return finish(.sent, at: released)
  }

  /// When a release at that time can no longer be joined.
  private func endOfGrace(_ released: UInt64) -> UInt64 {
    released + UInt64(releaseGrace * 1e9)
  }

  private mutating func sourceFailed(_ number: UInt32, _ error: VoicedError) -> [SessionEffect] {
    guard phase.isRecording, let take = current, take.number == number else { return [] }
    if let released = take.releasedAt { return finish(.sent, at: released) }
    return discard(take, .interrupted, error: error)
  }

  private mutating func sourceEnded(_ number: UInt32, at now: UInt64) -> [SessionEffect] {
    guard phase.isRecording, let take = current, take.number == number else { return [] }
    guard let last = take.lastFrame else {
      return discard(take, .interrupted, error: .sourceFailed)
    }
    return leave(take) + [.close(take: number, .written(limit: last))] + keep(take, .sent, at: now)
  }

  private mutating func interrupt(_ error: VoicedError?, at now: UInt64) -> [SessionEffect] {
    guard phase.isRecording, let take = current else { return [] }
    // Released, and only waiting whether a Press joins: nothing is cut off.
    if let released = take.releasedAt { return finish(.sent, at: released) }
    guard phase == .locked, let last = take.lastFrame else {
      return discard(take, .interrupted, error: error)
    }
    phase = .stopped
    current?.stoppedAt = now
    return [
      .close(take: take.number, .written(limit: last)), .tellPhase(.stopped, take: take.number),
      .tellNotice(.stopped, take: take.number, error: error),
    ]
  }

  private mutating func close() -> [SessionEffect] {
    guard let take = current else { return [] }
    if let released = take.releasedAt { return finish(.sent, at: released) }
    return discard(take, .interrupted)
  }

  // MARK: Endings

  /// Ends a running take with its sound, or as too short.
  private mutating func finish(_ ending: Ending, at now: UInt64) -> [SessionEffect] {
    guard let take = current else { return [] }
    if ending == .sent, take.isTooShort(at: now) { return discard(take, .tooShort) }
    guard let last = take.lastFrame else {
      return discard(take, .interrupted, error: take.absence)
    }
    let cut: CutPoint = ending == .maximum ? .frame(last) : .time(now, limit: last)
    return leave(take) + [.close(take: take.number, cut)] + keep(take, ending, at: now)
  }

  private mutating func keep(_ take: Take, _ ending: Ending, at now: UInt64) -> [SessionEffect] {
    finishing[take.number] = FinishedTake(
      take: take.number, ending: ending, settings: take.settings, elapsed: take.elapsed(at: now))
    return [.keep(take: take.number)]
  }

  /// Ends a take without a recording; what an interruption cuts off waits in the recovery area.
  private mutating func discard(
    _ take: Take, _ ending: Ending, error: VoicedError? = nil
  ) -> [SessionEffect] {
    let wasRecording = phase.isRecording
    var effects = leave(take)
    if wasRecording {
      effects.append(.close(take: take.number, .written(limit: take.lastFrame ?? 0)))
    }
    let keepsSound = ending == .interrupted && take.firstFrame != nil
    effects.append(keepsSound ? .setAside(take: take.number) : .drop(take: take.number))
    effects.append(.tellDiscarded(take: take.number, ending, error: error))
    if ending == .interrupted {
      effects.append(.tellNotice(.stopped, take: take.number, error: error))
    }
    if ending == .tooShort { effects.append(.tellNotice(.hold, take: take.number, error: nil)) }
    return effects
  }

  private mutating func leave(_ take: Take) -> [SessionEffect] {
    phase = .idle
    current = nil
    return [.tellPhase(.idle, take: take.number)]
  }

  // MARK: The take process

  private mutating func fileReady(_ number: UInt32, _ facts: RecordingFacts) -> [SessionEffect] {
    guard let finished = finishing.removeValue(forKey: number) else { return [] }
    return [.tellFinished(finished, facts)]
  }

  private mutating func fileFailed(_ number: UInt32, _ error: VoicedError) -> [SessionEffect] {
    if finishing.removeValue(forKey: number) != nil {
      return [
        .setAside(take: number), .tellDiscarded(take: number, .interrupted, error: error),
        .tellNotice(.stopped, take: number, error: error),
      ]
    }
    guard let take = current, take.number == number else { return [] }
    return discard(take, .interrupted, error: error)
  }

  /// `tellElapsed` when its figures are not those told last.
  private mutating func tellElapsed(at now: UInt64) -> [SessionEffect] {
    guard let take = current else { return [] }
    let seconds = UInt32(clamping: Int64(take.elapsed(at: now)))
    let remaining = take.remaining
    guard take.told?.seconds != seconds || take.told?.remaining != remaining else { return [] }
    current?.told = (seconds, remaining)
    return [.tellElapsed(seconds: seconds, remaining: remaining)]
  }
}
