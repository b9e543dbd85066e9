import Glibc
import Testing
import VoiceIO
import VoiceTestKit

/// What an interruption cut off is kept for a day, also by a daemon that nobody calls for days.
@Suite("The recovery area", .lane)
struct RecoveryAreaTests {
  @Test("at rest: a file goes when its day is over, and the daemon wakes up for nothing else")
  func expiry() throws {
    var paths: [String] = []
    let stage = try Stage(configuration: ["source = speech"]) { rig in
      let voiced = try rig.desktop.folder.folder("s/voiced")
      mkdir(voiced + "/recovery", 0o700)
      for (take, hours) in [(1, 24 - 4 / 3600.0), (2, 12)] {
        let path = voiced + "/recovery/take-\(take).interrupted.wav"
        try WaveFile.write(path, channels: [Sound.sine(0.5)])
        try setAge(of: path, hours: hours)
        paths.append(path)
      }
    }
    #expect(access(paths[0], F_OK) == 0)
    #expect(waitUntil(9) { access(paths[0], F_OK) != 0 }, "it is still there")
    #expect(access(paths[1], F_OK) == 0)
    #expect(stage.daemon.isAtRest())
    // What it gives back a second after its start is a wake-up of its own.
    stage.client.listen(1.5)
    let before = stage.daemon.facts.contextSwitches
    stage.client.listen(2)
    #expect(stage.daemon.facts.contextSwitches.voluntary == before.voluntary)
    let kept = try stage.client.manager("GetTakes").first?.items
    #expect(kept?.compactMap { $0.entries?["take"] } == [.uint32(2)])
  }
}

extension RecoveryAreaTests {
  @Test("a recovery that takes long is waited for, not told as a daemon that does not answer")
  func slowRecovery() throws {
    let stage = try Stage.speaking()
    let take = try stage.begin("Press")
    stage.client.listen(0.8)
    kill(try stage.daemon.child("voiced-source").pid, SIGSTOP)
    #expect(try stage.client.ending(take, within: 8).ending == "interrupted")
    #expect(stage.daemon.isAtRest())
    let recover = try stage.startVctl("recover", "\(take)")
    var process: Int32 = 0
    #expect(
      waitUntil(5, step: 0.001) {
        process = stage.daemon.children.first { $0.command.contains("--recover") }?.pid ?? 0
        return process > 0
      })
    kill(process, SIGSTOP)
    let asked = [BusValue.uint32(take), .string("")]
    #expect(
      stage.client.error { try $0.manager("RecoverTake", asked) } == "LimitExceeded",
      "a second one at a time")
    stage.client.listen(11)
    #expect(recover.isRunning, "\(recover.lines)")
    kill(process, SIGCONT)
    #expect(recover.wait(5) == .exited(0), "\(recover.lines)")
  }
}

/// Makes a file so many hours old.
func setAge(of path: String, hours: Double) throws {
  var now = timespec()
  clock_gettime(CLOCK_REALTIME, &now)
  let time = Double(now.tv_sec) + Double(now.tv_nsec) / 1e9 - hours * 3600
  let written = timespec(tv_sec: Int(time), tv_nsec: Int((time - time.rounded(.down)) * 1e9))
  guard utimensat(AT_FDCWD, path, [written, written], 0) == 0 else {
    throw IOError.last("set the time of \(path)")
  }
}
