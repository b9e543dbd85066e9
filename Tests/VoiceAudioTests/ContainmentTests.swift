import Glibc
import Testing
import VoiceAudio
import VoiceCore
import VoiceIO

@Suite("A plugin that breaks the rules")
struct ContainmentTests {
  /// A plugin built with macros, started, that has run for some pushes.
  private func started(_ plugin: WrongPlugin, frames: UInt64 = 4800) throws -> SourceRig {
    let rig = try SourceRig(plugin: plugin.path, id: "wrong")
    rig.send(.start(target: "", options: ""))
    if frames > 0 { #expect(rig.wait { rig.ring.written >= frames }) }
    return rig
  }

  @Test("one that keeps them is heard, and told of once each time something changes")
  func good() throws {
    let plugin = try WrongPlugin()
    let rig = try started(plugin)
    #expect(rig.reports == [.format(rate: 48_000, channels: 1), .linked("a tone \\xfe")])
    rig.send(.stop)
    #expect(rig.end() == .exited(0))
  }

  @Test(
    "a push that breaks a rule is dropped and told once",
    arguments: [
      ("ABSURD_FRAMES", "VOICED_MAX_FRAMES"), ("NO_CHANNEL", "pointer for each channel"),
      ("BAD_FORMAT", "format beyond the limits"), ("NO_FORMAT", "before it told a format"),
      ("LEVEL", "pushed a level although it has sound"),
      ("FLAGS=VOICED_LEVELS_ONLY", "pushed sound although it has levels only"),
    ])
  func dropped(macro: String, text: String) throws {
    let plugin = try WrongPlugin(macro)
    let rig = try started(plugin, frames: 0)
    #expect(rig.wait { rig.logged.contains { $0.contains(text) } })
    _ = rig.wait(0.2) { false }
    #expect(rig.logged.count { $0.contains(text) } == 1)
    #expect(rig.ring.written == 0)
    rig.send(.stop)
    #expect(rig.end() == .exited(0))
  }

  @Test("a time of the future is corrected, and the sound is kept")
  func future() throws {
    let plugin = try WrongPlugin("FUTURE")
    let rig = try started(plugin)
    #expect(rig.wait { rig.logged.contains { $0.contains("a time of the future") } })
    let anchor = try #require(rig.ring.anchor)
    #expect(anchor.time < EventLoop.now)
    // A busy machine may be late with a push; the hour that the plugin is ahead is no gap.
    #expect(rig.ring.lost < 5_000_000_000)
  }

  @Test("of two pushing threads one is heard")
  func twoThreads() throws {
    let plugin = try WrongPlugin("TWO_THREADS")
    let rig = try started(plugin, frames: 24_000)
    #expect(rig.wait { rig.logged.contains { $0.contains("second thread") } })
    let begin = rig.ring.written
    let time = EventLoop.now
    #expect(rig.wait { rig.ring.written >= begin + 24_000 })
    #expect(EventLoop.now - time > 400_000_000)
  }

  @Test("pushes after stop are dropped")
  func afterStop() throws {
    let plugin = try WrongPlugin("PUSH_AFTER_STOP")
    let rig = try started(plugin)
    rig.send(.stop)
    #expect(rig.end() == .exited(0))
    // At most the push that was under way.
    let length = rig.ring.written
    #expect(length % 960 == 0)
  }

  @Test("a plugin that does not start is told in words, and its process waits to be ended")
  func refused() throws {
    let plugin = try WrongPlugin()
    let rig = try SourceRig(plugin: plugin.path, id: "wrong")
    rig.send(.start(target: "nowhere", options: ""))
    #expect(rig.wait { rig.failure != nil })
    #expect(rig.failure?.code == -ENOENT)
    #expect(rig.failure?.text == "wrong has no such target.")
    rig.hangUp()
    #expect(rig.end() == .exited(0))
  }

  @Test("a plugin that ends is told once, and with its reason")
  func ends() throws {
    let plugin = try WrongPlugin("ENDS")
    let rig = try started(plugin, frames: 0)
    #expect(rig.wait { rig.reports.contains(.ended(-ENODEV)) })
    _ = rig.wait(0.1) { false }
    #expect(rig.reports.count { if case .ended = $0 { true } else { false } } == 1)
  }

  @Test("a plugin that hangs in start or stop ends a second after it was asked to")
  func hangs() throws {
    let start = try WrongPlugin("HANG_START")
    let first = try started(start, frames: 0)
    #expect(
      first.wait {
        first.reports.contains { if case .log(1, "hangs") = $0 { true } else { false } }
      })
    kill(first.pid, SIGTERM)
    let stop = try WrongPlugin("HANG_STOP")
    let second = try started(stop)
    second.send(.stop)
    let third = try started(stop)
    third.hangUp()
    let begin = EventLoop.now
    for rig in [first, second, third] { #expect(rig.end(within: 3) == .exited(EX_SOFTWARE)) }
    #expect(EventLoop.now - begin < 2_500_000_000)
  }

  @Test("SIGTERM is a clean stop")
  func terminated() throws {
    let plugin = try WrongPlugin()
    let rig = try started(plugin)
    kill(rig.pid, SIGTERM)
    #expect(rig.end() == .exited(0))
  }

  @Test("a trap ends the process at once, and the ring goes on with the next one")
  func trap() throws {
    let trapping = try WrongPlugin("TRAP_START")
    let rig = try started(trapping, frames: 0)
    guard case .signalled = try #require(rig.end()) else {
      Issue.record("no signal")
      return
    }
    let plugin = try WrongPlugin()
    let next = try SourceRig(plugin: plugin.path, id: "wrong", ring: rig.ring)
    next.send(.start(target: "", options: ""))
    #expect(next.wait { next.ring.written >= 4800 && next.wakeUps > 0 })
  }

  @Test("memory has a limit")
  func memory() throws {
    let plugin = try WrongPlugin("HOG")
    let rig = try started(plugin, frames: 0)
    #expect(rig.wait { rig.failure != nil })
    #expect(rig.failure?.code == -ENOMEM)
  }

  @Test("a flood of log lines is cut, and its bytes are made presentable")
  func flood() throws {
    let plugin = try WrongPlugin("FLOOD", "NOISY")
    let rig = try started(plugin)
    #expect((1...80).contains(rig.logged.count))
    #expect(rig.logged.allSatisfy { $0 == "a line \\xff of a flood" })
  }

  @Test("the process is fenced in: no privileges, an empty signal mask, few descriptors")
  func fence() throws {
    let plugin = try WrongPlugin()
    let extra = dup(2)
    defer { close(extra) }
    let rig = try started(plugin)
    let status = try text(of: "/proc/\(rig.pid)/status")
    #expect(status.contains("NoNewPrivs:\t1"))
    #expect(status.contains("SigBlk:\t0000000000000000"))
    let limits = try text(of: "/proc/\(rig.pid)/limits")
    let data = try #require(limits.split(separator: "\n").first { $0.contains("Max data size") })
    #expect(data.contains("268435456"))
    for descriptor in 0..<64 {
      let path = "/proc/\(rig.pid)/fd/\(descriptor)"
      var target = [CChar](repeating: 0, count: 256)
      if readlink(path, &target, 255) > 0 { #expect(descriptor < 12) }
    }
  }

  @Test(
    "other rates and channels are heard as they are",
    arguments: [(44_100, 2), (16_000, 1), (192_000, 6)])
  func rates(rate: Int, channels: Int) throws {
    let plugin = try WrongPlugin("RATE=\(rate)", "CHANNELS=\(channels)")
    let rig = try started(plugin, frames: 24_000)
    #expect(rig.reports.contains(.format(rate: rate, channels: channels)))
    let reading = try #require(rig.ring.drainReading())
    #expect(abs(decibels(reading.power) + 9.03) < 0.1)
    let sound = try #require(rig.ring.frames(from: 0)).dropFirst(4800).prefix(14_400)
    let rms = (sound.reduce(0) { $0 + Double($1 * $1) } / Double(sound.count)).squareRoot()
    #expect(abs(rms - 0.3536) < 0.004)
    #expect(rig.ring.lost < 300_000_000, "late beyond what a busy machine makes of it")
    #expect(rig.logged == [])
  }

  private func text(of path: String) throws -> String {
    let file = open(path, O_RDONLY | O_CLOEXEC)
    try #require(file >= 0)
    defer { close(file) }
    var bytes = [UInt8](repeating: 0, count: 16_384)
    let count = read(file, &bytes, bytes.count)
    return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
  }
}
