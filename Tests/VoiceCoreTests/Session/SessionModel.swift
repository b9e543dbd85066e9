@testable import VoiceCore

/// The specification's table once more, as plain rows: what an event must lead to.
///
/// Knows nothing of how the machine works; times are in nanoseconds.
struct SessionModel {
  /// What an event leads to.
  enum Outcome: Equatable {
    case nothing
    case begins(Phase)
    /// A Press joins the hold that it follows within the grace.
    case joins
    case locks
    case waits
    case stops
    case starts
    case sends(Ending)
    case discards(Ending)
  }

  /// The take that runs or is stopped.
  struct Running {
    var number: UInt32
    var settings: TakeSettings
    var caller: String?
    var asked: UInt64
    var heardSince: UInt64?
    var first: UInt64?
    var preRoll = 0.0
    var released: UInt64?
  }

  let grace: UInt64
  var phase = Phase.idle
  var running: Running?
  /// Takes that wait for their file, and how they will have ended.
  var unfinished: [UInt32: Ending] = [:]

  var isRecording: Bool { phase == .holding || phase == .locked }

  /// What the event must lead to now.
  func outcome(of event: SessionEvent, at now: UInt64) -> Outcome {
    guard let running else {
      guard case .begin(let number, let held, _, _) = event, number != 0 else { return .nothing }
      return .begins(held ? .holding : .locked)
    }
    switch (phase, event) {
    case (.holding, .begin(_, held: true, _, _)) where running.released != nil: return .joins
    case (.holding, .lock): return .locks
    case (.holding, .release) where running.released == nil:
      return grace > 0 ? .waits : end(running, at: now)
    case (.holding, .wake):
      return graceIsOver(now) ? end(running, at: running.released ?? now) : .nothing
    case (.stopped, .send): return .sends(.sent)
    case (_, .send): return end(running, at: running.released ?? now)
    case (_, .cancel): return .discards(.cancelled)
    case (_, .fileFailed(running.number, _)): return .discards(.interrupted)
    case (.locked, .quiet(running.number)) where running.first != nil: return end(running, at: now)
    case (_, .viewGone(let view)) where isRecording && view == running.caller:
      return interrupted(running)
    case (_, .interruption) where isRecording: return interrupted(running)
    case (_, .sourceFailed(running.number, _)) where isRecording:
      return running.released.map { end(running, at: $0) } ?? .discards(.interrupted)
    case (_, .sourceEnded(running.number)) where isRecording:
      return running.first == nil ? .discards(.interrupted) : .sends(.sent)
    case (_, .began(running.number, _, _))
    where isRecording && running.first == nil && running.released == nil:
      return .starts
    case (_, .progress(let written)) where isRecording:
      guard let first = running.first else { return .nothing }
      let recorded = written > first ? written - first : 0
      return recorded >= running.settings.maximumFrames ? .sends(.maximum) : .nothing
    default: return .nothing
    }
  }

  func graceIsOver(_ now: UInt64) -> Bool {
    running?.released.map { now >= $0 + grace } ?? false
  }

  private func interrupted(_ take: Running) -> Outcome {
    if let released = take.released { return end(take, at: released) }
    return phase == .locked && take.first != nil ? .stops : .discards(.interrupted)
  }

  private func end(_ take: Running, at time: UInt64) -> Outcome {
    let asked = seconds(take.asked, time)
    let heard = (take.heardSince.map { seconds($0, time) } ?? 0) + take.preRoll
    if asked < take.settings.minimum, heard < take.settings.minimum { return .discards(.tooShort) }
    return take.first == nil ? .discards(.interrupted) : .sends(.sent)
  }

  private func seconds(_ start: UInt64, _ end: UInt64) -> Double {
    start < end ? Double(end - start) / 1e9 : 0
  }

  /// How the take will have ended whose file the event is about, when one is awaited.
  func ending(_ event: SessionEvent) -> Ending? {
    switch event {
    case .fileReady(let take, _), .fileFailed(let take, _): unfinished[take]
    default: nil
    }
  }

  /// Follows an outcome.
  mutating func follow(_ outcome: Outcome, of event: SessionEvent, at now: UInt64) {
    switch outcome {
    case .nothing: break
    case .begins(let phase):
      guard case .begin(let number, _, let settings, let caller) = event else { return }
      self.phase = phase
      running = Running(number: number, settings: settings, caller: caller, asked: now)
    case .joins: running?.released = nil
    case .locks:
      phase = .locked
      running?.released = nil
    case .waits: running?.released = now
    case .stops: phase = .stopped
    case .starts:
      guard case .began(_, let frame, let preRoll) = event else { return }
      running?.heardSince = now
      running?.first = frame
      running?.preRoll = preRoll
    case .sends(let ending):
      if let number = running?.number { unfinished[number] = ending }
      phase = .idle
      running = nil
    case .discards:
      phase = .idle
      running = nil
    }
    // The recordings of takes that have ended before.
    switch event {
    case .fileReady(let take, _), .fileFailed(let take, _): unfinished[take] = nil
    default: break
    }
  }
}
