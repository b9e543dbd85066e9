@testable import VoiceCore

/// Watches all effects of a session and says which rule one of them breaks.
struct SessionLedger {
  /// What has been done for a take that is not over.
  private struct Entry {
    var isRecording = false
    var isClosed = false
    /// Whether its file is being made; `nil` before that was decided.
    var isKept: Bool?
  }

  private var entries: [UInt32: Entry] = [:]
  private var phase = Phase.idle
  private var elapsed: (UInt32, UInt32?)?
  private(set) var endings = 0
  /// The storms' clock steps back at times, which no cut may look ahead of.
  private var latest: UInt64 = 0

  /// Takes opened whose ending was not told.
  var open: [UInt32] { entries.keys.sorted() }

  /// Takes an event's effects; a sentence when one is against the rules.
  mutating func take(_ effects: [SessionEffect], isVerb: Bool, at now: UInt64) -> String? {
    latest = max(latest, now)
    let answers = effects.indices.filter { if case .answer = effects[$0] { true } else { false } }
    guard answers == (isVerb ? [0] : []) else { return "answers at \(answers)" }
    for effect in effects {
      if let fault = take(effect) { return fault }
    }
    return nil
  }

  private mutating func take(_ effect: SessionEffect) -> String? {
    switch effect {
    case .answer: return nil
    case .tellPhase(let phase, let take):
      guard phase != self.phase else { return "\(phase) told twice" }
      guard phase == .idle || take > 0 else { return "\(phase) of take 0" }
      self.phase = phase
      elapsed = phase == .idle ? nil : elapsed
      return nil
    case .open(let take, _):
      guard entries.updateValue(Entry(), forKey: take) == nil else {
        return "take \(take) opened twice"
      }
      return nil
    case .record(let take, _):
      guard entries[take]?.isRecording == false, entries[take]?.isClosed == false else {
        return "take \(take) cannot begin to record"
      }
      entries[take]?.isRecording = true
      return nil
    case .close(let take, let cut):
      guard entries[take]?.isClosed == false else { return "take \(take) closed again" }
      entries[take]?.isClosed = true
      if case .time(let time, _) = cut, time > latest { return "cut in the future" }
      return nil
    case .keep(let take):
      guard let entry = entries[take], entry.isRecording, entry.isClosed, entry.isKept == nil else {
        return "take \(take) cannot be kept"
      }
      entries[take]?.isKept = true
      return nil
    case .setAside(let take):
      guard let entry = entries[take], entry.isRecording, entry.isClosed, entry.isKept != false
      else {
        return "take \(take) cannot be set aside"
      }
      entries[take]?.isKept = false
      return nil
    case .drop(let take):
      guard let entry = entries[take], entry.isClosed, entry.isKept == nil else {
        return "take \(take) cannot be dropped"
      }
      entries[take]?.isKept = false
      return nil
    case .tellFinished(let finished, _):
      guard entries.removeValue(forKey: finished.take)?.isKept == true else {
        return "take \(finished.take) finished without a file"
      }
      guard finished.ending == .sent || finished.ending == .maximum else { return "\(finished)" }
      endings += 1
      return nil
    case .tellDiscarded(let take, let ending, let error):
      guard entries.removeValue(forKey: take)?.isKept == false else {
        return "take \(take) discarded, its sound neither dropped nor set aside"
      }
      guard error == nil || ending == .interrupted else { return "\(ending) with an error" }
      endings += 1
      return nil
    case .tellElapsed(let seconds, let remaining):
      guard phase.isRecording else { return "elapsed told in \(phase)" }
      if let (before, left) = elapsed, before == seconds, left == remaining {
        return "elapsed told twice"
      }
      guard remaining ?? 0 <= 10 else { return "\(remaining ?? 0) s left told" }
      elapsed = (seconds, remaining)
      return nil
    case .tellNotice(let kind, _, _):
      return [.started, .stopped, .hold].contains(kind) ? nil : "notice \(kind)"
    case .wake(let time):
      return time > 0 ? nil : "a wake at no time"
    }
  }
}
