import Glibc
import Testing
import VoiceIO
import VoiceTestKit

/// What clients choose of a file: where it begins, and whether it begins again.
@Suite("Start and loop", .lane)
struct PlaybackTests {
  /// A stage with a file of so many seconds of each tone.
  private static func stage(_ tones: (hertz: Double, seconds: Double)...) throws -> (Stage, String)
  {
    let stage = try Stage.speaking()
    let path = stage.rig.desktop.folder.path + "/tones.wav"
    let sound = tones.flatMap { Sound.sine($0.seconds, hertz: $0.hertz) }
    try WaveFile.write(path, channels: [sound])
    return (stage, path)
  }

  private func file(_ path: String, _ more: [String: BusValue] = [:]) -> [String: BusValue] {
    ["source": .string("file"), "target": .string(path)].merging(more) { $1 }
  }

  private func begin(_ stage: Stage, _ options: [String: BusValue]) throws -> UInt32 {
    try stage.client.verb("Begin", [.dictionary(options)])
  }

  @Test("a second of sound in a loop is heard after three; once, its lease has ended by then")
  func loop() throws {
    let (stage, path) = try Self.stage((400, 1))
    let once = try stage.client.openMonitor(file(path))
    let looped = try stage.client.openMonitor(file(path, ["loop": .boolean(true)]))
    stage.client.listen(3)
    try stage.client.signal("Closed", path: once)
    #expect(stage.hears(looped))
    #expect(!stage.client.received.contains { $0.member == "Closed" && $0.signal.path == looped })
  }

  @Test("a take that starts at second two of a file holds what comes from there to the end")
  func start() throws {
    let (stage, path) = try Self.stage((400, 2), (900, 1.5))
    let take = try begin(stage, file(path, ["start": .double(2)]))
    let recording = try stage.recording(take)
    #expect(recording.ending == "sent")
    #expect(abs(recording.duration - 1.5) < 0.01, "\(recording.duration) s")
    #expect(try recording.tones(400, 900) == "111111")
  }

  @Test("the command line takes paths from its own folder, and names a recording it cannot print")
  func relative() throws {
    let (stage, path) = try Self.stage((400, 2))
    func shell(_ line: String) throws -> ToolResult {
      try runTool(
        "sh",
        [
          "-c", "cd \"$1\" && exec \"$0\" \(line)", DaemonUnderTest.productFolder + "/vctl",
          stage.rig.desktop.folder.path,
        ], environment: stage.rig.desktop.environment)
    }
    let used = try shell("use file tones.wav")
    #expect(used.isSuccess, "\(used.errorText)")
    #expect(try stage.client.get("Target") == .string(path))
    for options in ["--target tones.wav", "--source file --target ./tones.wav"] {
      let result = try shell("record --max 1 \(options) >/dev/full")
      #expect(result.status == .exited(5), "\(result.errorText)")
      #expect(result.errorText.contains("The recording is at /"), "\(result.errorText)")
    }
    // Its lease may be gone before anything is asked of it.
    for _ in 0..<5 {
      let ended = try shell("monitor file tones.wav --start 5")
      #expect(ended.status == .exited(1))
      #expect(ended.errorText == "vctl: The source has ended.\n", "\(ended.errorText)")
    }
  }

  @Test("vctl reaches both: a take of three seconds out of the last one, and levels of a loop")
  func commandLine() throws {
    let (stage, path) = try Self.stage((400, 1), (900, 1))
    let file = stage.rig.desktop.folder.path + "/take.wav"
    let result = try stage.vctl(
      "record", "--source", "file", "--target", path, "--start", "1", "--loop", "--max", "3", "-o",
      file, timeout: 20)
    #expect(result.isSuccess, "\(result.errorText)")
    let sound = try WaveFile(file)
    #expect(abs(sound.seconds - 3) < 0.01)
    #expect(tone(900, in: sound.channels[0][...], rate: sound.rate) > 0.1)
    #expect(tone(400, in: sound.channels[0][...], rate: sound.rate) < 0.01)
    let levels = try runTool(
      "timeout",
      ["3", DaemonUnderTest.productFolder + "/vctl", "monitor", "file", path, "--loop", "--json"],
      environment: stage.rig.desktop.environment)
    // It was still listening when its time was over.
    #expect(levels.status == .exited(124), "\(levels.errorText)")
    #expect(levels.text.contains("\"type\":\"level\""), "\(levels.text)")
  }

  @Test("one process for those who want the same, another for each who wants it otherwise")
  func sharing() throws {
    let (stage, path) = try Self.stage((400, 30))
    func sources() -> Int {
      stage.daemon.children.count { $0.command.first?.hasSuffix("/voiced-source") == true }
    }
    let wishes: [([String: BusValue], Int)] = [
      ([:], 1), ([:], 1), (["loop": .boolean(false), "start": .double(0)], 1),
      (["loop": .boolean(true)], 2), (["start": .double(3)], 3),
      (["start": .double(3), "loop": .boolean(true)], 4), (["start": .double(3)], 4),
    ]
    for (wish, count) in wishes {
      let lease = try stage.client.openMonitor(file(path, wish))
      #expect(stage.hears(lease))
      #expect(sources() == count, "\(wish)")
    }
    let take = try begin(stage, file(path, ["start": .double(3)]))
    try stage.notice("started")
    #expect(sources() == 4)
    #expect(try stage.client.verb("Cancel") == take)
  }

  @Test("a value that is none, a key that is none and a live source are refused, by name")
  func refused() throws {
    let (stage, path) = try Self.stage((400, 1))
    let cases: [(options: [String: BusValue], words: String)] = [
      (file(path, ["start": .double(-1)]), "'start' is"),
      (file(path, ["start": .string("3")]), "'start' is a double"),
      (file(path, ["loop": .string("yes")]), "'loop' is a boolean"),
      (file(path, ["strat": .double(3)]), "no option 'strat'"),
      (["source": .string("microphone"), "loop": .boolean(true)], "microphone is live"),
    ]
    for (options, words) in cases {
      for call in [
        { _ = try stage.client.openMonitor(options) }, { _ = try begin(stage, options) },
      ] {
        let failure = try #require(throws: BusFailure.self) { try call() }
        #expect(failure.name == Voiced.name + ".Error.InvalidValue")
        #expect(failure.text.contains(words), "\(failure.text)")
      }
    }
    #expect(try stage.isAtRest())
  }

  @Test("what only the plugin can judge comes back in its own words")
  func refusedByPlugin() throws {
    let (stage, path) = try Self.stage((400, 1))
    let words = "start must be a number of seconds, from 0 to ten years"
    let options = file(path, ["start": .double(1e9)])
    let failure = try #require(throws: BusFailure.self) { try stage.client.openMonitor(options) }
    #expect(failure.name == Voiced.name + ".Error.InvalidValue")
    #expect(failure.text.contains(words), "\(failure.text)")
    let end = try stage.client.ending(begin(stage, options))
    #expect(end.ending == "interrupted" && end.error == "InvalidValue")
    #expect(end.arguments.last?.entries?["reason"]?.text == words)
    let result = try stage.vctl("record", "--source", "file", "--target", path, "--start", "1e9")
    #expect(!result.isSuccess && result.errorText.contains(words), "\(result.errorText)")
    #expect(try stage.isAtRest())
  }
}
