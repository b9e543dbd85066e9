import Testing

@testable import VoiceCore

/// A session and a clock that a test moves by hand; remembers the last event's effects.
struct SessionBench {
  var machine: SessionMachine
  /// Nanoseconds.
  var now: UInt64 = 1_000_000_000_000
  var effects: [SessionEffect] = []
  var settings = TakeSettings()

  init(grace: Double = 0) { machine = SessionMachine(releaseGrace: grace) }

  var phase: Phase { machine.phase }

  mutating func wait(_ seconds: Double) { now += UInt64(seconds * 1e9) }

  mutating func handle(_ event: SessionEvent) { effects = machine.handle(event, at: now) }

  mutating func begin(_ take: UInt32, held: Bool, caller: String? = nil) {
    handle(.begin(take: take, held: held, settings: settings, caller: caller))
  }

  /// A take of 2 s of sound in that phase; its sound begins at frame 1000.
  mutating func record(_ take: UInt32 = 7, in phase: Phase, caller: String? = nil) {
    begin(take, held: phase == .holding, caller: caller)
    wait(0.05)
    handle(.began(take: take, frame: 1_000, preRoll: 0))
    wait(2)
    handle(.progress(written: 1_000 + 96_000))
    if phase == .stopped { handle(.interruption(nil)) }
  }

  var answers: [UInt32] {
    effects.compactMap { if case .answer(let take) = $0 { take } else { nil } }
  }
  var phases: [Phase] {
    effects.compactMap { if case .tellPhase(let phase, _) = $0 { phase } else { nil } }
  }
  var notices: [NoticeKind] {
    effects.compactMap { if case .tellNotice(let kind, _, _) = $0 { kind } else { nil } }
  }
  var discarded: [Ending] {
    effects.compactMap { if case .tellDiscarded(_, let ending, _) = $0 { ending } else { nil } }
  }
  var cuts: [CutPoint] {
    effects.compactMap { if case .close(_, let cut) = $0 { cut } else { nil } }
  }
}

/// What the recording's process told of its file.
let someFacts = RecordingFacts(
  path: "/x/take-7.m4a", duration: 2, bytes: 9, rate: 24_000, mediaType: "audio/mp4",
  waveform: [0.5])

/// The table of the specification, row by row.
@Suite struct SessionTableTests {
  @Test("idle, Start: a hands-free take begins")
  func start() {
    var bench = SessionBench()
    bench.begin(7, held: false)
    #expect(
      bench.effects == [
        .answer(7), .tellPhase(.locked, take: 7), .open(take: 7, bench.settings),
      ])
    #expect(bench.machine.take == 7)
  }

  @Test("idle, Press: a held take begins")
  func press() {
    var bench = SessionBench()
    bench.begin(7, held: true)
    #expect(
      bench.effects == [
        .answer(7), .tellPhase(.holding, take: 7), .open(take: 7, bench.settings),
      ])
  }

  @Test("holding, Lock: the take is hands-free")
  func lock() {
    var bench = SessionBench()
    bench.record(in: .holding)
    bench.handle(.lock)
    #expect(bench.effects == [.answer(7), .tellPhase(.locked, take: 7)])
    bench.handle(.release)
    #expect(bench.effects == [.answer(0)])
    #expect(bench.phase == .locked)
  }

  @Test("holding, Release: sent")
  func release() {
    var bench = SessionBench()
    bench.record(in: .holding)
    bench.handle(.release)
    #expect(
      bench.effects == [
        .answer(7), .tellPhase(.idle, take: 7),
        .close(take: 7, .time(bench.now, limit: 1_000 + 300 * 48_000)), .keep(take: 7),
      ])
    #expect(bench.machine.pending == [7])
    bench.handle(.fileReady(take: 7, someFacts))
    let finished = FinishedTake(take: 7, ending: .sent, settings: bench.settings, elapsed: 2)
    #expect(bench.effects == [.tellFinished(finished, someFacts)])
    bench.handle(.fileReady(take: 7, someFacts))
    #expect(bench.effects == [])
  }

  @Test("a tap of 100 ms is too short, and a hint to hold", arguments: [true, false])
  func tooShort(held: Bool) {
    var bench = SessionBench()
    bench.begin(7, held: held)
    bench.wait(0.02)
    bench.handle(.began(take: 7, frame: 0, preRoll: 0))
    bench.wait(0.08)
    bench.handle(held ? .release : .send)
    #expect(
      bench.effects == [
        .answer(7), .tellPhase(.idle, take: 7), .close(take: 7, .written(limit: 14_400_000)),
        .drop(take: 7), .tellDiscarded(take: 7, .tooShort, error: nil),
        .tellNotice(.hold, take: 7, error: nil),
      ])
  }

  @Test("holding, locked, stopped, Send: sent", arguments: [Phase.holding, .locked, .stopped])
  func send(phase: Phase) {
    var bench = SessionBench()
    bench.record(in: phase)
    bench.handle(.send)
    #expect(bench.answers == [7])
    #expect(bench.phases == [.idle])
    #expect(bench.effects.last == .keep(take: 7))
    // A stopped take was closed when it stopped.
    #expect(bench.cuts.count == (phase == .stopped ? 0 : 1))
    #expect(bench.discarded == [])
    #expect(bench.phase == .idle)
  }

  @Test("holding, locked, stopped, Cancel: deleted", arguments: [Phase.holding, .locked, .stopped])
  func cancel(phase: Phase) {
    var bench = SessionBench()
    bench.record(in: phase)
    bench.handle(.cancel)
    #expect(bench.answers == [7])
    #expect(bench.phases == [.idle])
    #expect(bench.effects.contains(.drop(take: 7)))
    #expect(bench.discarded == [.cancelled])
    #expect(bench.notices == [])
    #expect(bench.cuts.count == (phase == .stopped ? 0 : 1))
  }

  @Test("holding, interruption: discarded, its sound set aside")
  func interruptedWhileHeld() {
    var bench = SessionBench()
    bench.record(in: .holding)
    bench.handle(.interruption(.accessOff))
    #expect(
      bench.effects == [
        .tellPhase(.idle, take: 7), .close(take: 7, .written(limit: 1_000 + 14_400_000)),
        .setAside(take: 7), .tellDiscarded(take: 7, .interrupted, error: .accessOff),
        .tellNotice(.stopped, take: 7, error: .accessOff),
      ])
  }

  @Test("locked without sound yet, interruption: discarded")
  func interruptedBeforeSound() {
    var bench = SessionBench()
    bench.begin(7, held: false)
    bench.handle(.interruption(nil))
    #expect(bench.discarded == [.interrupted])
    #expect(bench.notices == [.stopped])
    #expect(bench.effects.contains(.drop(take: 7)))
    #expect(bench.phase == .idle)
  }

  @Test("locked, interruption: stopped, level and elapsed frozen, Send and Cancel still work")
  func stopped() {
    var bench = SessionBench()
    bench.record(in: .locked)
    bench.handle(.interruption(nil))
    #expect(
      bench.effects == [
        .close(take: 7, .written(limit: 1_000 + 14_400_000)), .tellPhase(.stopped, take: 7),
        .tellNotice(.stopped, take: 7, error: nil),
      ])
    bench.wait(100)
    #expect(bench.machine.elapsed(at: bench.now) == 2)
    let ignored: [SessionEvent] = [
      .interruption(nil), .progress(written: 200_000), .sourceEnded(take: 7), .quiet(take: 7),
      .sourceFailed(take: 7, .sourceFailed), .began(take: 7, frame: 5, preRoll: 0), .wake,
    ]
    for event in ignored {
      bench.handle(event)
      #expect(bench.effects == [], "\(event)")
    }
    for event in [SessionEvent.release, .lock] {
      bench.handle(event)
      #expect(bench.effects == [.answer(0)])
    }
    bench.begin(8, held: true)
    #expect(bench.effects == [.answer(0)])
    bench.handle(.send)
    bench.handle(.fileReady(take: 7, someFacts))
    guard case .tellFinished(let finished, _) = bench.effects.first else {
      Issue.record("no ending: \(bench.effects)")
      return
    }
    #expect(finished.ending == .sent)
    #expect(finished.elapsed == 2)
  }

  @Test("a source that cannot start ends the take with its error", arguments: [true, false])
  func sourceFailed(held: Bool) {
    var bench = SessionBench()
    bench.begin(7, held: held)
    bench.wait(3)
    bench.handle(.sourceFailed(take: 7, .noSuchTarget))
    #expect(
      bench.effects == [
        .tellPhase(.idle, take: 7), .close(take: 7, .written(limit: 0)), .drop(take: 7),
        .tellDiscarded(take: 7, .interrupted, error: .noSuchTarget),
        .tellNotice(.stopped, take: 7, error: .noSuchTarget),
      ])
  }

  @Test("the maximum cuts exactly there", arguments: [Phase.holding, .locked])
  func maximum(phase: Phase) {
    var bench = SessionBench()
    bench.settings.maximum = 2.01
    bench.record(in: phase)
    bench.wait(0.033)
    bench.handle(.progress(written: 1_000 + 96_480))
    #expect(
      bench.effects == [
        .tellPhase(.idle, take: 7), .close(take: 7, .frame(1_000 + 96_480)), .keep(take: 7),
      ])
    bench.handle(.fileReady(take: 7, someFacts))
    guard case .tellFinished(let finished, _) = bench.effects.first else {
      Issue.record("no ending: \(bench.effects)")
      return
    }
    #expect(finished.ending == .maximum)
  }

  @Test("any verb at rest changes nothing and answers take 0")
  func atRest() {
    var bench = SessionBench()
    for event in [SessionEvent.release, .lock, .send, .cancel] {
      bench.handle(event)
      #expect(bench.effects == [.answer(0)])
    }
    for event in [SessionEvent.interruption(nil), .wake, .progress(written: 9), .viewGone(":1")] {
      bench.handle(event)
      #expect(bench.effects == [])
    }
    #expect(bench.phase == .idle)
  }

  @Test("Start and Press while a take runs answer take 0", arguments: [Phase.holding, .locked])
  func twice(phase: Phase) {
    var bench = SessionBench()
    bench.record(in: phase)
    for held in [true, false] {
      bench.begin(8, held: held)
      #expect(bench.effects == [.answer(0)])
    }
    #expect(bench.machine.take == 7)
  }

  @Test("there is no take of number 0")
  func numberless() {
    var bench = SessionBench()
    bench.begin(0, held: true)
    #expect(bench.effects == [.answer(0)])
    #expect(bench.phase == .idle)
  }
}
