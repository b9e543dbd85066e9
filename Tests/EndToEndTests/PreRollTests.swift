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
    // A busy machine's audio server may stand still for a moment: then there is nothing to go back to.
    var faults: [[String]] = []
    for _ in 0..<4 {
      faults.append(try faultsOfTake(on: stage))
      #expect(stage.hears(lease))
      stage.client.listen(1.2)
    }
    #expect(faults.filter { !$0.isEmpty }.count < 2, "\(faults): \(stage.daemon.log)")
  }

  /// Begins a take on the running source, and tells what is wrong with its half second and the sound
  /// before it.
  private func faultsOfTake(on stage: Stage) throws -> [String] {
    let take = try stage.client.verb("Start")
    try stage.client.signal("Notice") {
      $0.arguments.first?.text == "started" && $0.take == take
    }
    stage.client.listen(0.5)
    let recording = try stage.send(take)
    var faults: [String] = []
    if !(1.4...1.9).contains(recording.duration) { faults.append("\(recording.duration) s") }
    if recording.gaps > 0.05 { faults.append("gaps of \(recording.gaps) s") }
    let intervals = try recording.clickIntervals()
    let wrong = intervals.filter { abs($0 - 0.02) >= 0.004 }
    if intervals.count < 60 || !wrong.isEmpty {
      faults.append("\(intervals.count) clicks, wrong: \(wrong)")
    }
    return faults
  }

  @Test("whatever else is due at the moment of Start, the sound before it is kept")
  func isNeverLost() throws {
    // The speech source needs no audio server that could stand still.
    let stage = try Stage.speaking(configuration: ["pre-roll = 1 s", "minimum = 0"])
    let lease = try stage.client.openMonitor(["source": .string("speech")])
    #expect(stage.hears(lease, floor: 0.05))
    stage.client.listen(1.5)
    for _ in 0..<30 {
      let duration = try stage.record(0.05).duration
      #expect(duration > 0.95, "\(duration) s")
    }
  }

  @Test("its sound counts for the verdict")
  func isJudged() throws {
    let stage = try Stage.speaking(configuration: ["pre-roll = 3 s", "minimum = 0"])
    let path = stage.rig.desktop.folder.path + "/voice.wav"
    let silence = [Float](repeating: 0, count: 5 * 48_000)
    try WaveFile.write(path, channels: [Sound.sine(1.5, hertz: 400) + silence])
    let file: [String: BusValue] = ["source": .string("file"), "target": .string(path)]
    let lease = try stage.client.openMonitor(file)
    #expect(stage.hears(lease))
    #expect(stage.client.wait(4) { stage.levels(of: lease).last == 0 })
    let take = try stage.client.verb("Begin", [.dictionary(file)])
    try stage.notice("started")
    stage.client.listen(0.5)
    let recording = try stage.send(take)
    #expect(try recording.tones(400).contains("0"))
    #expect(recording.verdict == "ok", "\(recording.verdict ?? "")")
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
