import Glibc
import Testing
import VoiceCore
import VoiceIO
import VoiceTestKit

@Suite(.serialized) struct EndingTests {
  @Test("keep, set-aside and drop before any sound are answered, and leave nothing")
  func beforeSound() throws {
    for command in [TakeCommand.keep, .setAside] {
      let rig = try TakeRig()
      rig.open(.m4a)
      rig.send(.begin(frame: 0))
      rig.send(command)
      #expect(rig.failure() == "SourceFailed")
      #expect(rig.files() == [])
      rig.hangUp()
      #expect(rig.process.wait(5) == .exited(0))
    }
    let rig = try TakeRig()
    rig.open(.m4a)
    rig.send(.drop)
    #expect(rig.process.wait(5) == .exited(0))
    #expect(rig.files() == [])
  }

  @Test("frames that are still on their way to the cut are waited for")
  func lateFrames() throws {
    let rig = try TakeRig()
    rig.open(.wav16k)
    rig.send(.begin(frame: 0))
    rig.push(clicks(frames: 47_000))
    try rig.waitForSpool(frames: 47_000)
    let late = clicks(frames: 2_000)
    rig.send(.cut(frame: 48_000))
    rig.send(.keep)
    rig.push(late)
    #expect(try rig.ready().duration == 1)
  }

  @Test("the end of the spool is told once, when all of it is on the disk")
  func closing() throws {
    let rig = try TakeRig()
    rig.open(.wav16k)
    rig.send(.begin(frame: 0))
    rig.push(clicks(frames: 60_000))
    rig.send(.cut(frame: 48_000))
    #expect(rig.report(within: 1.5) == nil)
    #expect(rig.closings == 1)
    #expect(spoolFrames(rig.state + "/spool/take-7.wav") == 48_000)
    rig.send(.keep)
    #expect(try rig.ready().duration == 1)
    #expect(rig.closings == 1)
  }

  @Test("a process that was held up takes nothing from beyond the cut")
  func heldUp() throws {
    let rig = try TakeRig()
    rig.open(.wav16k)
    rig.send(.begin(frame: 0))
    rig.push(clicks(frames: 46_000))
    try rig.waitForSpool(frames: 46_000)
    let (more, beyond) = (clicks(frames: 1000), clicks(frames: 40_000))
    rig.send(.cut(frame: 48_000))
    // It knows of the cut once it has read what comes first.
    rig.push(more)
    try rig.waitForSpool(frames: 47_000)
    rig.process.signal(SIGSTOP)
    rig.push(beyond)
    // Longer than it waits for frames before a cut (0.3 s): time itself is what is tried here.
    usleep(400_000)
    rig.process.signal(SIGCONT)
    rig.send(.keep)
    #expect(try rig.ready().duration == 1)
  }

  @Test("a cut among frames that were overwritten unread costs none of those before them")
  func cutInAGap() throws {
    let rig = try TakeRig()
    rig.open(.wav16k)
    rig.send(.begin(frame: 0))
    rig.push(clicks(frames: 48_000))
    try rig.waitForSpool(frames: 48_000)
    let more = clicks(frames: 100_000)
    rig.process.signal(SIGSTOP)
    // Longer than the ring by a second and more.
    for _ in 0..<5 { rig.push(more) }
    rig.process.signal(SIGCONT)
    try rig.waitForSpool(frames: 60_000)
    rig.send(.cut(frame: 60_000))
    rig.send(.keep)
    #expect(try rig.ready().duration == 1)
  }

  @Test("frames that never come are given up, and what there is is kept")
  func missingFrames() throws {
    let rig = try TakeRig()
    rig.open(.wav16k)
    rig.send(.begin(frame: 0))
    rig.push(clicks(frames: 24_000))
    rig.send(.cut(frame: 240_000))
    rig.send(.keep)
    #expect(try rig.ready().duration == 0.5)
  }

  @Test("the last cut counts, later or earlier than the one before, whatever was encoded already")
  func replacedCut() throws {
    let rig = try TakeRig()
    rig.open(.m4a)
    rig.send(.begin(frame: 0))
    rig.push(clicks(frames: 240_000))
    try rig.waitForSpool(frames: 240_000)
    rig.send(.cut(frame: 60_000))
    try rig.wait { spoolFrames(rig.state + "/spool/take-7.wav") == 60_000 }
    rig.send(.cut(frame: 180_000))
    try rig.waitForSpool(frames: 180_000)
    rig.send(.cut(frame: 120_000))
    rig.send(.keep)
    let facts = try rig.ready()
    #expect(facts.duration == 2.5)
    #expect(try Heard(facts.path).clicks(above: 0.3).count == 125)
    #expect(rig.files() == ["recordings/take-7.info", "recordings/take-7.m4a"])
  }

  @Test("a take set aside is its sound in the recovery folder, exactly")
  func setAside() throws {
    let rig = try TakeRig()
    rig.open(.opus)
    rig.send(.begin(frame: 0))
    rig.push(clicks(frames: 96_000))
    rig.send(.cut(frame: 90_001))
    rig.send(.setAside)
    let facts = try rig.kept()
    #expect(facts.path == rig.state + "/recovery/take-7.interrupted.wav")
    #expect(facts.duration == 90_001.0 / 48_000)
    #expect(facts.waveform.count == 38)
    #expect(try Heard(facts.path).samples == Array(clicks(frames: 96_000).prefix(90_001)))
    #expect(rig.files() == ["recovery/take-7.interrupted.wav"])
    #expect(rig.process.wait(5) == .exited(0))
  }

  @Test("a dropped take leaves nothing")
  func dropped() throws {
    let rig = try TakeRig()
    rig.open(.flac)
    rig.send(.begin(frame: 0))
    rig.push(clicks(frames: 96_000))
    try rig.waitForSpool(frames: 96_000)
    rig.send(.drop)
    #expect(rig.process.wait(5) == .exited(0))
    #expect(rig.files() == [])
  }

  @Test("when the daemon is gone, all that the ring still has is in the spool")
  func abandoned() throws {
    let rig = try TakeRig()
    rig.open(.m4a)
    rig.send(.begin(frame: 0))
    rig.push(clicks(frames: 100_001))
    rig.hangUp()
    #expect(rig.process.wait(5) == .exited(0))
    #expect(rig.files() == ["spool/take-7.wav"])
    #expect(try Heard(rig.state + "/spool/take-7.wav").samples == clicks(frames: 100_001))
  }

  @Test("nothing is left of a take that had no sound when the daemon went")
  func abandonedEmpty() throws {
    let rig = try TakeRig()
    rig.open(.m4a)
    rig.hangUp()
    #expect(rig.process.wait(5) == .exited(0))
    #expect(rig.files() == [])
  }

  @Test("signals to the process group do not end a take")
  func signals() throws {
    let rig = try TakeRig()
    rig.open(.wav16k)
    rig.send(.begin(frame: 0))
    rig.push(clicks(frames: 48_000))
    try rig.waitForSpool(frames: 48_000)
    for signal in [SIGTERM, SIGINT, SIGHUP, SIGPIPE] { rig.process.signal(signal) }
    rig.send(.keep)
    #expect(try rig.ready().duration == 1)
  }

  @Test("no recording takes the name of another")
  func names() throws {
    let folder = try TemporaryFolder()
    for expected in ["take-7.wav", "take-7-2.wav", "take-7-3.wav"] {
      let rig = try TakeRig(folder)
      rig.open(.wav16k)
      rig.send(.begin(frame: 0))
      rig.push(clicks(frames: 4800))
      rig.send(.keep)
      #expect(try rig.ready().path == "\(rig.state)/recordings/\(expected)")
    }
    let rig = try TakeRig(folder)
    rig.open(.flac)
    rig.send(.begin(frame: 0))
    rig.push(clicks(frames: 4800))
    rig.send(.keep)
    #expect(try rig.ready().path == rig.state + "/recordings/take-7-4.flac")
  }

  @Test("files are the user's alone")
  func privacy() throws {
    let rig = try TakeRig()
    rig.open(.m4a)
    rig.send(.begin(frame: 0))
    rig.push(clicks(frames: 48_000))
    try rig.waitForSpool(frames: 48_000)
    func mode(_ path: String) -> mode_t {
      var facts = stat()
      return stat(rig.state + path, &facts) == 0 ? facts.st_mode & 0o777 : 0
    }
    for place in ["", "/spool", "/recordings", "/recovery"] { #expect(mode(place) == 0o700) }
    #expect(mode("/spool/take-7.wav") == 0o600)
    rig.send(.keep)
    _ = try rig.ready()
    #expect(mode("/recordings/take-7.m4a") == 0o600)
    #expect(mode("/recordings/take-7.info") == 0o600)
  }

  @Test("sound that was overwritten before it was read is counted, not invented")
  func overrun() throws {
    let rig = try TakeRig()
    rig.open(.wav16k)
    try rig.wait { rig.files().contains("spool/take-7.wav") }
    rig.process.signal(SIGSTOP)
    rig.send(.begin(frame: 0))
    rig.push(clicks(frames: 12 * 48_000))
    rig.process.signal(SIGCONT)
    rig.send(.keep)
    let facts = try rig.ready()
    #expect(abs(facts.duration + facts.missed - 12) < 0.001)
    #expect(facts.duration > 8)
  }
}
