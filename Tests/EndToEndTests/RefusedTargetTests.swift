import Testing
import VoiceIO
import VoiceTestKit

/// A source that cannot start says why, and the caller reads it.
@Suite("Refused targets", .lane)
struct RefusedTargetTests {
  @Test(
    "a lease fails and a take ends with the error's name and the plugin's own words",
    arguments: [
      ("absent.wav", "NoSuchTarget", "absent.wav does not exist"),
      ("text.wav", "NotAudio", "the file is"),
    ])
  func words(name: String, error: String, words: String) throws {
    let stage = try Stage.speaking()
    let folder = stage.rig.desktop.folder.path
    try TextFile.write(folder + "/text.wav", "no sound, but a line of text\n")
    let options: [String: BusValue] = [
      "source": .string("file"), "target": .string("\(folder)/\(name)"),
    ]
    let failure = try #require(throws: BusFailure.self) { try stage.client.openMonitor(options) }
    #expect(failure.name == "\(Voiced.name).Error.\(error)")
    #expect(failure.text.contains(words), "\(failure.text)")
    let end = try stage.client.ending(stage.client.verb("Begin", [.dictionary(options)]))
    #expect(end.ending == "interrupted" && end.error == error)
    let reason = end.arguments.last?.entries?["reason"]?.text ?? ""
    #expect(reason.contains(words) && failure.text.contains("(\(reason))"), "\(reason)")
    let result = try stage.vctl("record", "--source", "file", "--target", "\(folder)/\(name)")
    #expect(!result.isSuccess && result.errorText.contains(words), "\(result.errorText)")
    #expect(try stage.isAtRest())
  }

  @Test(
    "a lease on a target that is none ends, and nothing is tried again",
    arguments: ["monitor:", "app:"])
  func noTarget(target: String) throws {
    let stage = try Stage.speaking()
    let lease = try stage.client.openMonitor([
      "source": .string("microphone"), "target": .string(target),
    ])
    try stage.client.signal("Closed", path: lease) { $0.arguments == [.string("source-ended")] }
    #expect(try stage.isAtRest())
  }

  @Test("a file without a sound in it, or after its start, ends a take with that reason")
  func nothingToPlay() throws {
    let stage = try Stage.speaking()
    let file = stage.rig.desktop.folder.path + "/short.wav"
    try WaveFile.write(file, channels: [Sound.sine(1, hertz: 400)])
    let empty = stage.rig.desktop.folder.path + "/empty.wav"
    _ = try runTool("sox", ["-n", "-r", "16000", "-c", "1", "-b", "16", empty, "trim", "0", "0"])
    for options: [String: BusValue] in [
      ["target": .string(file), "start": .double(1)],
      ["target": .string(file), "start": .double(5)], ["target": .string(empty)],
    ] {
      let all = options.merging(["source": .string("file")]) { $1 }
      let end = try stage.client.ending(stage.client.verb("Begin", [.dictionary(all)]))
      #expect(end.ending == "interrupted" && end.error == "SourceFailed", "\(end.arguments)")
      #expect(end.reason == "the source ended before its first sound", "\(end.arguments)")
    }
    #expect(stage.daemon.log.contains("the source ended before its first sound"))
  }
}
