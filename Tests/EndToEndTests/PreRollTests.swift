import Testing
import VoiceIO
import VoiceTestKit

@Suite("Pre-roll", .lane)
struct PreRollTests {
  @Test("a take begins with the sound before Press when a lease has the source running")
  func beginsBeforePress() throws {
    let stage = try Stage(.running, configuration: ["pre-roll = 1 s", "minimum = 0"])
    _ = try stage.rig.microphone("mine", Sound.clicks(20))
    try stage.use("microphone", "mine")
    let lease = try stage.client.openMonitor([
      "source": .string("microphone"), "target": .string("mine"),
    ])
    #expect(stage.hears(lease))
    stage.client.listen(1.5)
    let take = try stage.client.verb("Start")
    try stage.notice("started")
    stage.client.listen(0.5)
    let recording = try stage.send(take)
    #expect((1.3...2.2).contains(recording.duration), "\(recording.duration) s")
    let gaps = try recording.clickIntervals()
    // A busy machine's audio server may lose a quantum.
    let wrong = gaps.filter { abs($0 - 0.02) >= 0.004 }
    #expect(gaps.count > 60 && wrong.count < 4, "\(wrong)")
  }

  @Test("it is no reason to open the microphone before Press")
  func opensNothing() throws {
    let stage = try Stage(.running, configuration: ["pre-roll = 1 s"])
    _ = try stage.rig.microphone("mine", Sound.clicks(20))
    try stage.use("microphone", "mine")
    #expect(try stage.isAtRest())
    let recording = try stage.record(0.8)
    #expect(recording.duration < 1.3, "\(recording.duration) s")
  }

  @Test("a stream whose sound may become a take's is never shown as mere metering")
  func isShownAsRecording() throws {
    let stage = try Stage(.running, configuration: ["pre-roll = 1 s"])
    _ = try stage.rig.microphone("mine", Sound.sine(20))
    let lease = try stage.client.openMonitor([
      "source": .string("microphone"), "target": .string("mine"),
    ])
    #expect(stage.hears(lease))
    let marks = try stage.nodes().map { $0.properties["stream.monitor"] ?? "" }
    #expect(!marks.isEmpty && !marks.contains("true"), "\(marks)")
  }
}
