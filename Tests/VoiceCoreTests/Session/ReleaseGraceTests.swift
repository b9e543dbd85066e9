import Testing

@testable import VoiceCore

@Suite struct ReleaseGraceTests {
  @Test("a Press within the grace goes on with the same take")
  func joined() {
    var bench = SessionBench(grace: 0.15)
    bench.record(in: .holding)
    bench.handle(.release)
    #expect(bench.effects == [.answer(7), .wake(at: bench.now + 150_000_000)])
    bench.wait(0.1)
    bench.begin(8, held: true)
    #expect(bench.effects == [.answer(7)])
    bench.wait(0.05)
    bench.handle(.wake)
    #expect(bench.effects == [])
    #expect(bench.phase == .holding)
    bench.handle(.release)
    #expect(bench.answers == [7])
  }

  @Test("after the grace the take ends where it was released")
  func over() {
    var bench = SessionBench(grace: 0.15)
    bench.record(in: .holding)
    let released = bench.now
    bench.handle(.release)
    bench.wait(0.1)
    bench.handle(.wake)
    #expect(bench.effects == [.wake(at: released + 150_000_000)])
    bench.wait(0.05)
    bench.handle(.wake)
    #expect(bench.cuts == [.time(released, limit: 1_000 + 14_400_000)])
    bench.handle(.fileReady(take: 7, someFacts))
    let finished = FinishedTake(take: 7, ending: .sent, settings: bench.settings, elapsed: 2)
    #expect(bench.effects == [.tellFinished(finished, someFacts)])
  }

  @Test("a tap stays too short, whatever the grace adds")
  func tap() {
    var bench = SessionBench(grace: 0.2)
    bench.begin(7, held: true)
    bench.handle(.began(take: 7, frame: 0, preRoll: 0))
    bench.wait(0.5)
    bench.handle(.release)
    bench.wait(0.2)
    bench.handle(.wake)
    #expect(bench.discarded == [.tooShort])
  }

  @Test("sound that first comes in the grace makes no recording of nothing")
  func lateSound() {
    var bench = SessionBench(grace: 0.2)
    bench.begin(7, held: true)
    bench.wait(1)
    bench.handle(.release)
    bench.wait(0.1)
    bench.handle(.began(take: 7, frame: 0, preRoll: 0))
    #expect(bench.effects == [])
    bench.wait(0.1)
    bench.handle(.wake)
    #expect(bench.discarded == [.interrupted])
  }

  @Test("an interruption in the grace cuts nothing off: the take was released, and is sent")
  func interrupted() {
    for event in [SessionEvent.interruption(nil), .viewGone(":1.5"), .send] {
      var bench = SessionBench(grace: 0.2)
      bench.record(in: .holding, caller: ":1.5")
      let released = bench.now
      bench.handle(.release)
      bench.wait(0.1)
      bench.handle(event)
      #expect(bench.cuts == [.time(released, limit: 1_000 + 14_400_000)])
      #expect(bench.effects.last == .keep(take: 7))
    }
  }

  @Test("Lock and Cancel in the grace act on the take; a second Release does not")
  func verbs() {
    var bench = SessionBench(grace: 0.2)
    bench.record(in: .holding)
    bench.handle(.release)
    bench.handle(.release)
    #expect(bench.effects == [.answer(0)])
    bench.handle(.lock)
    #expect(bench.answers == [7])
    bench.wait(1)
    bench.handle(.wake)
    #expect(bench.phase == .locked)
    bench = SessionBench(grace: 0.2)
    bench.record(in: .holding)
    bench.handle(.release)
    bench.handle(.cancel)
    #expect(bench.discarded == [.cancelled])
  }
}
