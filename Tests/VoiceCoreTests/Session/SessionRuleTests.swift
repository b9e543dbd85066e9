import Testing

@testable import VoiceCore

/// The sentences around the table.
@Suite struct SessionRuleTests {
  @Test("a source that starts late revives no ended take, nor does it start the next one")
  func lateSource() {
    var bench = SessionBench()
    bench.begin(7, held: true)
    bench.wait(1)
    bench.handle(.release)
    bench.begin(8, held: true)
    for event in [
      SessionEvent.began(take: 7, frame: 0, preRoll: 0), .sourceFailed(take: 7, .sourceFailed),
      .sourceEnded(take: 7), .quiet(take: 7),
    ] {
      bench.handle(event)
      #expect(bench.effects == [])
    }
    #expect(bench.machine.take == 8)
    #expect(bench.machine.firstFrame == nil)
  }

  @Test("held long enough without sound is interrupted, not too short")
  func neverGotSound() {
    var bench = SessionBench()
    bench.begin(7, held: true)
    bench.wait(0.7)
    bench.handle(.release)
    #expect(bench.answers == [7])
    #expect(bench.discarded == [.interrupted])
    #expect(bench.notices == [.stopped])
  }

  @Test("one that is ended before any sound came is told why none did")
  func knowsWhyThereIsNoSound() {
    var bench = SessionBench()
    for (take, told) in [(UInt32(7), VoicedError.noSuchTarget), (8, .sourceUnavailable)] {
      bench.begin(take, held: true)
      bench.handle(.absent(take: 7, .noSuchTarget))
      #expect(bench.effects == [])
      bench.wait(0.7)
      bench.handle(.release)
      #expect(bench.effects.contains(.tellDiscarded(take: take, .interrupted, error: told)))
    }
  }

  @Test("too short needs both: the time since it was asked for, and the sound")
  func bothShort() {
    // Pre-roll makes a tap long enough.
    var bench = SessionBench()
    bench.begin(7, held: true)
    bench.handle(.began(take: 7, frame: 0, preRoll: 0.55))
    bench.wait(0.1)
    bench.handle(.release)
    #expect(bench.effects.last == .keep(take: 7))
    // A held key makes little sound long enough.
    bench.begin(8, held: true)
    bench.wait(0.55)
    bench.handle(.began(take: 8, frame: 0, preRoll: 0))
    bench.wait(0.1)
    bench.handle(.release)
    #expect(bench.effects.last == .keep(take: 8))
  }

  @Test("the minimum is not applied at the maximum, nor to a stopped take")
  func minimumDoesNotApply() {
    var bench = SessionBench()
    bench.settings.minimum = 5
    bench.settings.maximum = 1
    bench.begin(7, held: true)
    bench.handle(.began(take: 7, frame: 0, preRoll: 0))
    bench.wait(1)
    bench.handle(.progress(written: 48_000))
    #expect(bench.effects.last == .keep(take: 7))
    bench.settings.maximum = 300
    bench.begin(8, held: false)
    bench.handle(.began(take: 8, frame: 0, preRoll: 0))
    bench.wait(0.1)
    bench.handle(.interruption(nil))
    bench.handle(.send)
    #expect(bench.effects.last == .keep(take: 8))
  }

  @Test("a minimum of 0 discards nothing that has sound")
  func noMinimum() {
    var bench = SessionBench()
    bench.settings.minimum = 0
    bench.begin(7, held: true)
    bench.handle(.began(take: 7, frame: 0, preRoll: 0))
    bench.handle(.release)
    #expect(bench.effects.last == .keep(take: 7))
  }

  @Test("the notice `started` comes with the first sound, once, and elapsed counts from there")
  func started() {
    var bench = SessionBench()
    bench.begin(7, held: false)
    #expect(bench.notices == [])
    bench.wait(1.5)
    #expect(bench.machine.elapsed(at: bench.now) == 0)
    bench.handle(.began(take: 7, frame: 4_000, preRoll: 0))
    #expect(
      bench.effects == [
        .record(take: 7, from: 4_000), .tellNotice(.started, take: 7, error: nil),
        .tellElapsed(seconds: 0, remaining: nil),
      ])
    bench.handle(.began(take: 7, frame: 5_000, preRoll: 0))
    #expect(bench.effects == [])
    #expect(bench.machine.firstFrame == 4_000)
  }

  @Test("a source that ends by itself sends the take, whatever the phase")
  func sourceEnds() {
    for phase in [Phase.holding, .locked] {
      var bench = SessionBench()
      bench.settings.minimum = 60
      bench.record(in: phase)
      bench.handle(.sourceEnded(take: 7))
      #expect(bench.cuts == [.written(limit: 1_000 + 14_400_000)])
      #expect(bench.effects.last == .keep(take: 7))
      #expect(bench.phase == .idle)
    }
    var bench = SessionBench()
    bench.begin(7, held: false)
    bench.handle(.sourceEnded(take: 7))
    #expect(bench.discarded == [.interrupted])
  }

  @Test("whole seconds are told once, and whole seconds left, rounded up, during the last ten")
  func elapsed() {
    var bench = SessionBench()
    bench.settings.maximum = 12.5
    bench.begin(7, held: false)
    bench.handle(.began(take: 7, frame: 0, preRoll: 0))
    var told: [SessionEffect] = bench.effects.filter {
      if case .tellElapsed = $0 { true } else { false }
    }
    for tick in 1..<125 {
      bench.wait(0.1)
      bench.handle(.progress(written: UInt64(tick) * 4_800))
      told += bench.effects
    }
    var expected: [SessionEffect] = []
    for tick in 0..<125 {
      let left = 125 - tick
      let remaining = left > 100 ? nil : UInt32((left + 9) / 10)
      let effect = SessionEffect.tellElapsed(seconds: UInt32(tick / 10), remaining: remaining)
      if expected.last != effect { expected.append(effect) }
    }
    #expect(told == expected)
  }

  @Test("no seconds left are told when the maximum is ten seconds or less")
  func shortMaximum() {
    var bench = SessionBench()
    bench.settings.maximum = 10
    bench.record(in: .locked)
    #expect(bench.effects == [.tellElapsed(seconds: 2, remaining: nil)])
  }

  @Test("a view that began the take and leaves is an interruption; another's leaving is not")
  func views() {
    var bench = SessionBench()
    bench.record(in: .locked, caller: ":1.5")
    bench.handle(.viewGone(":1.6"))
    #expect(bench.effects == [])
    bench.handle(.viewGone(":1.5"))
    #expect(bench.phase == .stopped)
    bench = SessionBench()
    bench.record(in: .locked)
    bench.handle(.viewGone(":1.5"))
    #expect(bench.phase == .locked)
    bench = SessionBench()
    bench.record(in: .holding, caller: ":1.5")
    bench.handle(.viewGone(":1.5"))
    #expect(bench.discarded == [.interrupted])
  }

  @Test("silence sends a hands-free take that has sound, and no other")
  func autoStop() {
    var bench = SessionBench()
    bench.record(in: .holding)
    bench.handle(.quiet(take: 7))
    #expect(bench.effects == [])
    bench.handle(.lock)
    bench.handle(.quiet(take: 6))
    #expect(bench.effects == [])
    bench.handle(.quiet(take: 7))
    #expect(bench.answers == [])
    #expect(bench.effects.last == .keep(take: 7))
  }

  @Test("a take process that fails ends the take with its error, whenever it fails")
  func fileFails() {
    for phase in [Phase.holding, .locked, .stopped] {
      var bench = SessionBench()
      bench.record(in: phase)
      bench.handle(.fileFailed(take: 7, .diskFull))
      #expect(bench.phase == .idle)
      #expect(bench.effects.contains(.setAside(take: 7)))
      #expect(bench.effects.contains(.tellDiscarded(take: 7, .interrupted, error: .diskFull)))
      #expect(bench.notices == [.stopped])
    }
    var bench = SessionBench()
    bench.record(in: .locked)
    bench.handle(.send)
    bench.begin(8, held: false)
    bench.handle(.fileFailed(take: 7, .folderUnusable))
    #expect(bench.phases == [])
    #expect(bench.discarded == [.interrupted])
    #expect(bench.machine.take == 8)
    bench.handle(.fileFailed(take: 7, .sourceFailed))
    bench.handle(.fileReady(take: 7, someFacts))
    #expect(bench.effects == [])
  }

  @Test("takes finish in their own time, each with its own facts")
  func overlapping() {
    var bench = SessionBench()
    for take in [UInt32(1), 2, 3] {
      bench.record(take, in: .holding)
      bench.handle(.release)
    }
    #expect(bench.machine.pending == [1, 2, 3])
    for take in [UInt32(2), 3, 1] {
      bench.handle(.fileReady(take: take, someFacts))
      guard case .tellFinished(let finished, _) = bench.effects.first else {
        Issue.record("no ending of \(take)")
        return
      }
      #expect(finished.take == take)
    }
    #expect(bench.machine.pending == [])
  }

  @Test("a maximum beyond all numbers and a ring that counted very far cut nothing early")
  func hugeFigures() {
    var bench = SessionBench()
    bench.settings.maximum = .greatestFiniteMagnitude
    bench.begin(7, held: false)
    bench.handle(.began(take: 7, frame: .max - 1_000, preRoll: 0))
    bench.wait(0.01)
    bench.handle(.progress(written: .max - 500))
    #expect(bench.phase == .locked)
    bench.handle(.progress(written: 0))
    #expect(bench.phase == .locked)
  }
}
