import Testing

@testable import VoiceCore

/// The machine against an independent model, through storms of chance events.
@Suite struct SessionStormTests {
  private static let stormCount = 48
  private static let eventCount = 25_000

  @Test("1.2 million chance events: the table holds, and each take has exactly one ending")
  func storms() {
    let first = UInt64.random(in: 0...UInt64.max)
    var endings = 0
    for index in 0..<UInt64(Self.stormCount) {
      let seed = first &+ index
      let grace = index % 3 == 0 ? 0.15 : 0
      switch storm(seed: seed, grace: grace) {
      case .success(let count): endings += count
      case .failure(let fault):
        Issue.record("\(fault.text): SessionStormTests.storm(seed: \(seed), grace: \(grace))")
        return
      }
    }
    // The storms are worth something only when takes live through them.
    #expect(endings > 50_000)
  }

  private struct Fault: Error { let text: String }

  /// Runs one storm; how many takes ended, or the first thing that was wrong.
  private func storm(seed: UInt64, grace: Double) -> Result<Int, Fault> {
    var storm = SessionStorm(seed: seed)
    var machine = SessionMachine(releaseGrace: grace)
    var model = SessionModel(grace: UInt64(grace * 1e9))
    var ledger = SessionLedger()
    var recent: [(now: UInt64, phase: Phase, event: SessionEvent, effects: [SessionEffect])] = []

    func fault(_ text: String) -> Result<Int, Fault> {
      .failure(Fault(text: recent.suffix(12).reduce(text) { "\($0)\n\($1)" }))
    }

    for _ in 0..<Self.eventCount {
      let event = storm.next(take: machine.take)
      let before = Before(
        phase: model.phase, take: model.running?.number ?? 0, unfinished: model.ending(event))
      let outcome = model.outcome(of: event, at: storm.now)
      model.follow(outcome, of: event, at: storm.now)
      let effects = machine.handle(event, at: storm.now)
      if recent.count > 1_000 { recent.removeFirst(900) }
      recent.append((storm.now, before.phase, event, effects))
      if let broken = ledger.take(effects, isVerb: event.isVerb, at: storm.now) {
        return fault(broken)
      }
      guard machine.phase == model.phase, machine.take == model.running?.number ?? 0 else {
        return fault("\(machine.phase) of \(machine.take), but \(outcome)")
      }
      if let wrong = difference(effects, outcome, event, before) { return fault(wrong) }
      guard effects.isEmpty || machine.pending == model.unfinished.keys.sorted() else {
        return fault("\(machine.pending) wait for their file, not \(model.unfinished.keys)")
      }
      for case .keep(let take) in effects { storm.mayFinish(take) }
    }

    // Whatever is still open ends when its process does.
    if machine.take > 0 {
      _ = ledger.take(machine.handle(.cancel, at: storm.now), isVerb: true, at: storm.now)
    }
    for take in machine.pending {
      let effects = machine.handle(.fileFailed(take: take, .sourceFailed), at: storm.now)
      if let broken = ledger.take(effects, isVerb: false, at: storm.now) { return fault(broken) }
    }
    guard ledger.open == [] else { return fault("takes \(ledger.open) have no ending") }
    return .success(ledger.endings)
  }

  /// What the effects lack of the outcome, or have beyond it.
  private func difference(
    _ effects: [SessionEffect], _ outcome: SessionModel.Outcome, _ event: SessionEvent,
    _ before: Before
  ) -> String? {
    var expected = Told()
    let number = before.take
    switch outcome {
    case .nothing: break
    case .begins(let phase):
      guard case .begin(let take, _, _, _) = event else { return "no begin" }
      expected.answer = take
      expected.phases = [phase]
    case .joins, .waits: expected.answer = number
    case .locks:
      expected.answer = number
      expected.phases = [.locked]
    case .stops:
      expected.phases = [.stopped]
      expected.notices = [.stopped]
    case .starts: expected.notices = [.started]
    case .sends:
      expected.answer = number
      expected.phases = [.idle]
    case .discards(let ending):
      expected.answer = number
      expected.phases = [.idle]
      expected.endings = [ending]
      if ending == .interrupted { expected.notices = [.stopped] }
      if ending == .tooShort { expected.notices = [.hold] }
    }
    switch event {
    case .fileReady: expected.endings += before.unfinished.map { [$0] } ?? []
    case .fileFailed where before.unfinished != nil:
      expected.endings = [.interrupted]
      expected.notices = [.stopped]
    default: break
    }
    if !event.isVerb { expected.answer = 0 }
    let told = Told(effects)
    return told == expected ? nil : "told \(told), but expected \(expected)"
  }

  /// What the model knew before an event.
  private struct Before {
    var phase: Phase
    var take: UInt32
    /// How the take will have ended whose file the event is about, when one is awaited.
    var unfinished: Ending?
  }

  /// What clients learn of an event.
  private struct Told: Equatable {
    var answer: UInt32 = 0
    var phases: [Phase] = []
    var endings: [Ending] = []
    var notices: [NoticeKind] = []

    init() {}

    init(_ effects: [SessionEffect]) {
      for effect in effects {
        switch effect {
        case .answer(let take): answer = take
        case .tellPhase(let phase, _): phases.append(phase)
        case .tellFinished(let finished, _): endings.append(finished.ending)
        case .tellDiscarded(_, let ending, _): endings.append(ending)
        case .tellNotice(let kind, _, _): notices.append(kind)
        default: break
        }
      }
    }
  }
}
