import Testing
import VoiceIO
import VoiceTestKit

@Suite("Auto-stop", .lane)
struct AutoStopTests {
  @Test("a hands-free take is sent once nobody has spoken for that long")
  func endsAfterTheVoice() throws {
    let stage = try Stage(.none)
    // Its sound begins with the take.
    let file = stage.rig.desktop.folder.path + "/voice.wav"
    try WaveFile.write(file, channels: [Sound.speech(2.5) + Sound.silence(30)])
    try stage.use("file", file)
    try stage.client.set("AutoStop", .double(1.2))
    let take = try stage.client.verb("Start")
    let recording = try stage.recording(take, within: 10)
    #expect(recording.ending == "sent")
    #expect((2.2...5.0).contains(recording.duration), "\(recording.duration) s")
  }

  @Test("a held take is not ended by silence")
  func goesOnWhileHeld() throws {
    let stage = try Stage(.none)
    let file = stage.rig.desktop.folder.path + "/silence.wav"
    try WaveFile.write(file, channels: [Sound.silence(10)])
    try stage.use("file", file)
    try stage.client.set("AutoStop", .double(1))
    let take = try stage.begin("Press")
    stage.client.listen(3)
    #expect(try stage.phase == "holding")
    try stage.client.verb("Release")
    #expect(try stage.recording(take).duration > 2)
  }

  @Test("the pauses of speech do not end it")
  func goesOnInPauses() throws {
    let stage = try Stage.speaking()
    try stage.client.set("AutoStop", .double(1))
    _ = try stage.client.verb("Start")
    stage.client.listen(7)
    #expect(try stage.phase == "locked")
  }
}
