import Testing
import VoiceIO
import VoiceTestKit

@Suite("Auto-stop", .lane)
struct AutoStopTests {
  @Test("a hands-free take is sent once nobody has spoken for that long")
  func endsAfterTheVoice() throws {
    let stage = try Stage(.running)
    _ = try stage.rig.microphone("mine", Sound.speech(2.5) + Sound.silence(30))
    try stage.use("microphone", "mine")
    try stage.client.set("AutoStop", .double(1.2))
    let take = try stage.client.verb("Start")
    let recording = try stage.recording(take, within: 10)
    #expect(recording.ending == "sent")
    #expect((2.2...5.0).contains(recording.duration), "\(recording.duration) s")
  }

  @Test("the pauses of speech do not end it, nor does it end a held take")
  func goesOnInPauses() throws {
    let stage = try Stage.speaking()
    try stage.client.set("AutoStop", .double(1))
    _ = try stage.client.verb("Start")
    stage.client.listen(7)
    #expect(try stage.phase == "locked")
  }
}
