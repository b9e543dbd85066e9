import CLinux
import Glibc
import Testing
import VoiceIO
import VoiceTestKit

@Suite("Event loop")
struct EventLoopTests {
  let loop: EventLoop

  init() throws { loop = try EventLoop() }

  @Test("timers fire in the order they are due, of equal ones the first armed first")
  func order() {
    var fired: [Int] = []
    // Later than a busy machine needs to arm them all.
    let start = EventLoop.now + 200_000_000
    let places = [3, 1, 2, 2, 1]
    let timers = places.indices.map { index in
      loop.timer { fired.append(places[index] * 10 + index) }
    }
    for (timer, place) in zip(timers, places) { timer.start(at: start + UInt64(place) * 1_000_000) }
    #expect(loop.turn(within: 2) { fired.count == 5 })
    #expect(fired == [11, 14, 22, 23, 30])
    #expect(timers.allSatisfy { !$0.isArmed })
  }

  @Test("a timer never fires early")
  func punctual() {
    for _ in 0..<20 {
      var fired: UInt64 = 0
      let due = EventLoop.now + 300_000
      let timer = loop.timer { fired = EventLoop.now }
      timer.start(at: due)
      #expect(loop.turn(within: 2) { fired != 0 })
      #expect(fired >= due)
    }
  }

  @Test("starting an armed timer again moves it")
  func move() {
    var count = 0
    let timer = loop.timer { count += 1 }
    timer.start(after: 0.001)
    timer.start(after: 60)
    loop.turn(atMost: 0.01)
    #expect(count == 0)
    timer.start(after: 0.001)
    #expect(loop.turn(within: 2) { count == 1 })
    #expect(!loop.turn(within: 0.05) { count != 1 })
  }

  @Test("a repeating timer keeps its pace, does not make up for missed times, and can end itself")
  func pace() {
    var times: [UInt64] = []
    var timer: LoopTimer?
    timer = loop.timer {
      times.append(EventLoop.now)
      // The second time is slept through.
      if times.count == 1 { poll(nil, 0, 25) }
      if times.count == 4 { timer?.cancel() }
    }
    let start = EventLoop.now
    timer?.repeat(every: 0.01)
    #expect(loop.turn(within: 2) { times.count == 4 })
    #expect(!loop.turn(within: 0.05) { times.count != 4 })
    // Due at 10 and, late, at 20 ms; 30 was missed or not by the machine's speed; then in step.
    #expect(times[3] - start >= 40_000_000)
  }

  @Test("a timer armed for the past in its own handler lets the others have their turn")
  func fair() {
    var count = 0
    var isServed = false
    var greedy: LoopTimer?
    greedy = loop.timer {
      count += 1
      greedy?.start(at: 0)
    }
    greedy?.start(at: 0)
    let other = loop.timer { isServed = true }
    other.start(after: 0.001)
    #expect(loop.turn(within: 2) { isServed })
    #expect(count < 100_000)
    greedy?.cancel()
  }

  @Test("a timer cancelled by one that is due at the same time does not fire")
  func cancelDue() {
    var fired: [Int] = []
    var second: LoopTimer?
    let first = loop.timer {
      fired.append(1)
      second?.cancel()
    }
    second = loop.timer { fired.append(2) }
    first.start(at: 1)
    second?.start(at: 2)
    loop.turn(atMost: 0)
    loop.turn(atMost: 0.01)
    #expect(fired == [1])
  }

  @Test("deferred work is done once, before the wait, and what it defers does not wait either")
  func later() {
    var done: [String] = []
    loop.later {
      done.append("one")
      self.loop.later { done.append("two") }
    }
    loop.turn(atMost: 10)
    #expect(done == ["one"])
    loop.turn(atMost: 0)
    #expect(done == ["one", "two"])
    loop.turn(atMost: 0)
    #expect(done == ["one", "two"])
  }

  @Test("run returns the status it was stopped with, at once")
  func stop() {
    loop.later { self.loop.stop(7) }
    #expect(loop.run() == 7)
    loop.later { self.loop.stop(0) }
    #expect(loop.run() == 0)
  }

  @Test("nothing due is no wake-up")
  func idle() throws {
    let pipe = try Pipe()
    let watch = try loop.watch(pipe.reader, read: true, write: false) { _, _ in }
    #expect(loop.rounds(in: 0.2) <= 1)
    watch.cancel()
  }

  @Test("a watch cancelled by another one's handler is not told what had already happened")
  func cancelOther() throws {
    let pipes = try [Pipe(), Pipe()]
    var told = 0
    var watches: [Watch] = []
    for pipe in pipes {
      watches.append(
        try loop.watch(pipe.reader, read: true, write: false) { _, _ in
          told += 1
          for watch in watches { watch.cancel() }
        })
      pipe.write("x")
    }
    loop.turn(atMost: 1)
    loop.turn(atMost: 0)
    #expect(told == 1)
  }

  @Test("a new watch on a number that was closed meanwhile does not inherit its events")
  func reuse() throws {
    let trigger = try Pipe()
    let victim = try Pipe()
    let quiet = try Pipe()
    var heir: Watch?
    var inherited = 0
    // Both are readable in the same wait; the one told first replaces the other's descriptor.
    var watches: [Watch] = []
    for (pipe, other) in [(trigger, victim), (victim, trigger)] {
      watches.append(
        try loop.watch(pipe.reader, read: true, write: false) { _, _ in
          for watch in watches { watch.cancel() }
          dup2(quiet.reader, other.reader)
          heir = try? loop.watch(other.reader, read: true, write: false) { _, _ in inherited += 1 }
        })
      pipe.write("x")
    }
    loop.turn(atMost: 1)
    loop.turn(atMost: 0.01)
    #expect(heir != nil && inherited == 0)
    quiet.write("x")
    loop.turn(atMost: 1)
    #expect(inherited == 1)
    heir?.cancel()
  }

  @Test("a peer that hung up is told as readable, and not at all while nothing is wanted")
  func hangUp() throws {
    let pipe = try Pipe()
    var told = 0
    let watch = try loop.watch(pipe.reader, read: true, write: false) { readable, writable in
      #expect(readable && !writable)
      told += 1
    }
    watch.update(read: false, write: false)
    pipe.closeWriter()
    loop.turn(atMost: 0.02)
    #expect(told == 0)
    watch.update(read: true, write: false)
    loop.turn(atMost: 1)
    #expect(told == 1)
    watch.cancel()
  }

  @Test("a file that epoll refuses is an error that says so")
  func refused() throws {
    let file = open("/etc/passwd", O_RDONLY | O_CLOEXEC)
    defer { close(file) }
    let error = #expect(throws: IOError.self) {
      try loop.watch(file, read: true, write: false) { _, _ in }
    }
    #expect(error?.code == EPERM)
    #expect(error?.text == "watch descriptor \(file): Operation not permitted")
  }

  @Test("a blocked signal is told by its number")
  func signals() throws {
    var heard: [Int32] = []
    let signals = try Signals(loop: loop, [SIGUSR1, SIGUSR2]) { heard.append($0) }
    // To this thread: other threads of a test do not block it.
    pthread_kill(pthread_self(), SIGUSR2)
    #expect(loop.turn(within: 2) { !heard.isEmpty })
    #expect(heard == [SIGUSR2])
    withExtendedLifetime(signals) {}
  }
}
