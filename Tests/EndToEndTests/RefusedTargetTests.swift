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
}
