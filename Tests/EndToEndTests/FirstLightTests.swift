import Glibc
import Testing
import VoiceIO
import VoiceTestKit

/// A voice is recorded, end to end.
@Suite("First light", .lane)
struct FirstLightTests {
  @Test("vctl record of a voice: five seconds in the file asked for, and its loudness follows")
  func record() throws {
    let stage = try Stage(.running)
    let voice = try Sound.speech(12)
    _ = try stage.rig.microphone("mine", voice)
    // A busy machine's audio server skips now and then, but hardly in each of three recordings.
    let isFollowed = try (1...3).contains { round in
      let file = stage.rig.desktop.folder.path + "/take-\(round).wav"
      let result = try stage.vctl(
        "record", "--format", "wav16k", "--max", "5", "-o", file, timeout: 20)
      #expect(result.isSuccess, "\(result.errorText)")
      #expect(result.text.contains(file))
      let sound = try WaveFile(file)
      #expect(sound.rate == 16_000 && sound.channels.count == 1)
      #expect(abs(sound.seconds - 5) <= 0.01, "\(sound.seconds) s")
      return try follows(voice, file)
    }
    #expect(isFollowed)
  }

  /// Whether the loudness of a recording follows a voice that was played again and again.
  private func follows(_ voice: [Float], _ file: String) throws -> Bool {
    LoudnessCurve.follow(source: voice + voice, recording: try Sound.decode(file), most: 12)
      .correlation >= 0.95
  }

  @Test("Enter ends a recording, with a meter and without one", arguments: ["", "2>/dev/null"])
  func enter(errors: String) throws {
    let stage = try Stage.speaking()
    let file = stage.rig.desktop.folder.path + "/take.wav"
    let vctl = DaemonUnderTest.productFolder + "/vctl"
    // "script" gives it a terminal, and types what comes in.
    let line = "\(vctl) record --format wav16k -o \(file) \(errors)"
    let typed = stage.rig.desktop.folder.path + "/typed"
    mkfifo(typed, 0o600)
    let record = try RigProcess(
      ChildCommand(
        path: "sh", arguments: ["-c", "exec script -qec '\(line)' /dev/null <>'\(typed)'"],
        environment: stage.rig.desktop.environment.merging(["TERM": "xterm"]) { $1 }),
      log: stage.rig.desktop.log("record"))
    try stage.notice("started")
    stage.client.listen(0.8)
    #expect(record.isRunning)
    try TextFile.write(typed, "\n")
    #expect(record.wait(8) == .exited(0), "\(stage.rig.desktop.logText("record"))")
    #expect(try WaveFile(file).seconds > 0.7)
  }

  @Test("over the bus: file, duration and waveform tell the same voice")
  func recordOverTheBus() throws {
    let stage = try Stage(.running)
    let voice = try Sound.speech(12)
    _ = try stage.rig.microphone("mine", voice)
    var recording = try stage.record(4)
    for _ in 0..<2 where try !follows(voice, recording.path) || recording.gaps > 0 {
      recording = try stage.record(4)
    }
    let sound = try recording.sound()
    #expect(abs(sound.seconds - recording.duration) < 0.001)
    #expect((3.8...4.8).contains(recording.duration), "\(recording.duration) s")
    #expect(try follows(voice, recording.path))
    let own = LoudnessCurve(sound.channels[0], rate: sound.rate).windows
    #expect(LoudnessCurve.correlation(own, recording.waveform) >= 0.95)
    #expect(abs(recording.waveform.count - Int((recording.duration / 0.05).rounded(.up))) <= 1)
    for key in [
      "media-type", "ending", "source", "target", "bytes", "rate", "elapsed", "gaps", "verdict",
    ] {
      #expect(recording.details[key] != nil, "no \(key)")
    }
    #expect(recording.details["source"]?.text == "microphone")
    #expect(recording.gaps < 0.05 && abs(recording.elapsed - recording.duration) < 0.2)
  }

  @Test("busctl answers `u 1` to Press, and Release finishes it")
  func busctl() throws {
    let stage = try Stage(.running)
    _ = try stage.rig.microphone("mine", Sound.sine(1, hertz: 400))
    func call(_ member: String) throws -> String {
      let result = try runTool(
        "busctl",
        ["--user", "call", Voiced.name, Voiced.recorderPath, Voiced.recorder, member],
        environment: stage.rig.desktop.environment)
      return result.text + result.errorText
    }
    #expect(try call("Press") == "u 1\n")
    try stage.notice("started")
    stage.client.listen(0.8)
    #expect(try call("Release") == "u 1\n")
    #expect(try stage.recording(1).tones(400).contains("0"))
    #expect(try stage.phase == "idle")
    #expect(try call("Press") == "u 2\n")
  }

  @Test("a tap of 100 ms is too short: the notice `hold`, and nothing kept")
  func tap() throws {
    let stage = try Stage.speaking()
    // A tap on a busy machine is one still.
    try stage.client.set("MinimumDuration", .double(8))
    let take = try stage.client.verb("Press")
    stage.client.listen(0.1)
    #expect(try stage.client.verb("Release") == take)
    #expect(try stage.client.ending(take).ending == "too-short")
    try stage.notice("hold")
    #expect(try stage.phase == "idle")
    #expect(try stage.isAtRest())
    for folder in ["recordings", "recovery", "spool"] { #expect(stage.files(in: folder).isEmpty) }
  }

  @Test("no microphone at all: Press answers, and its take ends by name within 4 s")
  func noMicrophone() throws {
    let stage = try Stage(.running)
    let asked = BusClient.now
    let take = try stage.client.verb("Press")
    let end = try stage.client.ending(take, within: 6)
    #expect(end.ending == "interrupted" && end.error == "SourceUnavailable", "\(end.arguments)")
    #expect(end.time - asked < 4.5)
    try stage.notice("stopped")
    #expect(try stage.phase == "idle")
    #expect(try stage.isAtRest())
  }

  @Test("at rest: no node, no child, and not one wake-up of the daemon in 5 s")
  func rest() throws {
    let stage = try Stage(.running)
    _ = try stage.rig.microphone("mine", Sound.sine(1, hertz: 400))
    _ = try stage.record(0.7)
    #expect(try stage.isAtRest())
    // What is given back a second after the last take is a wake-up of its own.
    let facts = stage.daemon.facts
    _ = waitUntil(2.5) { false }
    let before = facts.contextSwitches
    _ = waitUntil(5) { false }
    let after = facts.contextSwitches
    #expect(after.voluntary == before.voluntary && after.involuntary == before.involuntary)
    #expect(try stage.nodes().isEmpty)
  }
}
