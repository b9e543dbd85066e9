import Glibc
import Testing
import VoiceCore
import VoiceIO
import VoiceTestKit

@Suite(.serialized) struct CrashTests {
  @Test("a take killed at any moment keeps all but its last second, and can be recovered")
  func killed() throws {
    var random = SplitMix(state: 43)
    for _ in 0..<6 {
      let rig = try TakeRig()
      rig.open(.m4a)
      rig.send(.begin(frame: 0))
      // It has to run to keep anything.
      try rig.wait { spoolFrames(rig.state + "/spool/take-7.wav") != nil }
      let begin = EventLoop.now
      let span = 700_000_000 + random.next() % 1_800_000_000
      let sound = clicks(frames: 48_000 * 3)
      var pushed: [(frames: Int, at: UInt64)] = [(0, 0)]
      try rig.wait {
        let now = EventLoop.now - begin
        let due = min(sound.count, Int(now * 48 / 1_000_000))
        rig.push(Array(sound[pushed[pushed.count - 1].frames..<due]))
        pushed.append((due, now))
        return now >= span
      }
      let killed = EventLoop.now - begin
      rig.process.end(SIGKILL)
      // What it had for a second is kept, however late it came.
      let old = pushed.last { $0.at + 1_000_000_000 <= killed }?.frames ?? 0
      let left = rig.state + "/spool/take-7.wav"
      // What any reader finds, and what ours does.
      let told = try #require(spoolFrames(left))
      #expect(told >= UInt64(old))
      #expect(try Heard(left).samples.count == Int(told))

      let recovery = try run([TakeRig.program, "--recover", rig.state, "7", "wav", "matrix"])
      #expect(recovery.status == .exited(0))
      #expect(recovery.lines.first == "ready")
      #expect(recovery.lines.contains { $0.hasPrefix("waveform-matrix=") })
      let heard = try Heard(rig.state + "/recordings/take-7.wav")
      #expect(heard.samples == Array(sound.prefix(heard.samples.count)))
      #expect(heard.samples.count >= Int(told))
      // Neither the spool nor the half encoded recording stays.
      #expect(rig.files() == ["recordings/take-7.info", "recordings/take-7.wav"])
    }
  }

  @Test("a spool whose header is older than its sound is recovered to its last frame")
  func staleHeader() throws {
    let rig = try TakeRig()
    rig.open(.wav)
    rig.send(.begin(frame: 0))
    rig.push(clicks(frames: 96_000))
    try rig.waitForSpool(frames: 96_000)
    rig.process.end(SIGKILL)
    let left = rig.state + "/spool/take-7.wav"
    var content = bytes(of: left)
    // RIFF, fact and data sizes as at the start, and half a frame at the end.
    for offset in [4, 82, 90] {
      for index in offset..<(offset + 4) { content[index] = 0 }
    }
    try write(content + [1, 2], to: left)
    let recovery = try run([TakeRig.program, "--recover", rig.state, "7", "flac"])
    #expect(recovery.status == .exited(0))
    let heard = try Heard(rig.state + "/recordings/take-7.flac")
    #expect(heard.samples.count == 96_000)
  }

  @Test("recovery is told on the control socket, when there is one")
  func report() throws {
    let rig = try TakeRig()
    rig.open(.m4a)
    rig.send(.begin(frame: 0))
    rig.push(clicks(frames: 48_000))
    rig.send(.setAside)
    _ = try rig.kept()
    let (ours, theirs) = try ControlChannel.pair()
    defer { close(ours) }
    let process = try RigProcess(
      ChildCommand(
        path: TakeRig.program, arguments: ["--recover", rig.state, "7", "opus"],
        descriptors: [(theirs, 3)]), name: "recover", log: rig.log)
    close(theirs)
    #expect(process.wait(20) == .exited(0))
    var packet = [UInt8](repeating: 0, count: ControlMessage.limit)
    let count = recv(ours, &packet, packet.count, Int32(MSG_DONTWAIT))
    let message = try #require(ControlMessage(bytes: packet.prefix(max(0, count))))
    guard case .ready(let facts)? = TakeReport(message) else { throw RigFailure("not ready") }
    #expect(facts.duration == 1)
    #expect(rig.files() == ["recordings/take-7.info", "recordings/take-7.opus"])
  }

  @Test("a take that still runs, or is not there, is not recovered")
  func refused() throws {
    let rig = try TakeRig()
    rig.open(.m4a)
    rig.send(.begin(frame: 0))
    rig.push(clicks(frames: 48_000))
    try rig.waitForSpool(frames: 48_000)
    let running = try run([TakeRig.program, "--recover", rig.state, "7", "m4a"])
    #expect(running.status == .exited(3))
    #expect(running.lines.prefix(2) == ["failed", "error=NoSuchTake"])
    let missing = try run([TakeRig.program, "--recover", rig.state, "8", "m4a"])
    #expect(missing.lines.prefix(2) == ["failed", "error=NoSuchTake"])
    let format = try run([TakeRig.program, "--recover", rig.state, "7", "mp9"])
    #expect(format.lines.prefix(2) == ["failed", "error=InvalidValue"])
    rig.send(.keep)
    #expect(try rig.ready().duration == 1)
  }
}
