import Testing

@testable import vctl

@Suite("Bars of a take")
struct BarTrackTests {
  @Test("a level holds until the next one is told")
  func holds() {
    var track = BarTrack(period: 0.1, capacity: 100)
    track.note(0.5, at: 0)
    track.note(0.2, at: 0.35)
    track.advance(to: 0.55)
    #expect(track.bars == [0.5, 0.5, 0.5, 0.5, 0.2, 0.2])
  }

  @Test("the loudest level of a bar's time counts")
  func loudest() {
    var track = BarTrack(period: 0.1, capacity: 100)
    for (level, at) in [(0.1, 0.0), (0.9, 0.03), (0.2, 0.06)] { track.note(level, at: at) }
    #expect(track.bars == [0.9])
  }

  @Test("only the newest bars are kept, also after a long silence")
  func bounded() {
    var track = BarTrack(period: 0.05, capacity: 10)
    track.note(1, at: 0)
    track.advance(to: 3600)
    #expect(track.bars.count == 10 && track.count == 72001)
    track.note(.nan, at: .infinity)
    #expect(track.bars.count == 10)
  }

  @Test("a view that comes late fills in what it missed")
  func late() {
    var track = BarTrack(period: 0.1, capacity: 8)
    track.join(at: 0.5)
    track.note(0.9, at: 0.52)
    track.fill([0.1, 0.2, 0.3, 0.4, 0.5, 0.6], from: 0)
    #expect(track.bars == [0.1, 0.2, 0.3, 0.4, 0.5, 0.9])
    track.fill([0.7], from: 0)
    #expect(track.bars.count == 6)
  }

  @Test("missed bars never exceed what is kept, nor leave a hole")
  func lateBounded() {
    var track = BarTrack(period: 0.1, capacity: 3)
    track.join(at: 1)
    track.fill([0.1, 0.2], from: 0)
    #expect(track.bars.isEmpty)
    track.fill([Double](repeating: 0.3, count: 10), from: 0)
    #expect(track.bars == [0.3, 0.3, 0.3])
  }
}
