import Testing
import VoiceIO

@Suite("Event loop")
struct EventLoopTests {
  @Test("timers fire in the order they are due")
  func order() throws {
    let loop = try EventLoop()
    var fired: [Int] = []
    let timers = [3, 1, 2].map { place in loop.timer { fired.append(place) } }
    for (timer, place) in zip(timers, [3, 1, 2]) { timer.start(after: Double(place) * 0.002) }
    let end = loop.timer { loop.stop(7) }
    end.start(after: 0.01)
    #expect(loop.run() == 7)
    #expect(fired == [1, 2, 3])
  }
}
