import Glibc
import Testing
import VoiceIO

@testable import vctl

@Suite("Output that never waits")
struct OutputChannelTests {
  /// A pipe whose ends are closed with it.
  private final class Pipe {
    var reading: Int32 = -1
    var writing: Int32 = -1
    init() {
      var ends: [Int32] = [-1, -1]
      _ = pipe(&ends)
      (reading, writing) = (ends[0], ends[1])
    }
    func closeReading() {
      close(reading)
      reading = -1
    }
    deinit {
      if reading >= 0 { close(reading) }
      close(writing)
    }
  }

  /// Turns the loop until the condition holds, at most five seconds.
  private func turn(_ loop: EventLoop, until condition: () -> Bool) -> Bool {
    let end = EventLoop.now + 5_000_000_000
    while !condition(), EventLoop.now < end { loop.turn(atMost: 0.05) }
    return condition()
  }

  @Test("a reader that stands still gets everything once it reads, up to a limit")
  func slow() throws {
    let loop = try EventLoop()
    let pipe = Pipe()
    let channel = try OutputChannel(loop, descriptor: pipe.writing)
    var drained = 0
    channel.onDrained = { drained += 1 }
    let line = String(repeating: "x", count: 999) + "\n"
    var sent = 0
    while channel.send(line) { sent += 1 }
    #expect(channel.isBusy && sent > 250 && sent < 1000)
    var got = 0
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    let all = turn(loop) {
      let count = read(pipe.reading, &buffer, min(buffer.count, sent * 1000 - got))
      got += max(count, 0)
      return got == sent * 1000
    }
    #expect(all && !channel.isBusy && drained == 1)
  }

  @Test("a reader that goes is told, at rest too")
  func gone() throws {
    let loop = try EventLoop()
    let pipe = Pipe()
    let channel = try OutputChannel(loop, descriptor: pipe.writing)
    var gone = 0
    channel.onGone = {
      gone += 1
      #expect($0 == nil)
    }
    channel.send("hello\n")
    loop.turn(atMost: 0)
    #expect(gone == 0)
    pipe.closeReading()
    #expect(turn(loop) { gone > 0 })
    channel.send("nobody\n")
    loop.turn(atMost: 0)
    #expect(gone == 1)
  }

  @Test("a loop that begins after the reader went is stopped")
  func goneBefore() throws {
    let loop = try EventLoop()
    let pipe = Pipe()
    let channel = try OutputChannel(loop, descriptor: pipe.writing)
    channel.onGone = { _ in loop.stop(7) }
    pipe.closeReading()
    channel.send("nobody\n")
    let deadline = loop.timer { loop.stop(1) }
    deadline.start(after: 5)
    #expect(loop.run() == 7)
  }
}
