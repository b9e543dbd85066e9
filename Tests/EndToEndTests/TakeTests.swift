import Glibc
import Testing
import VoiceIO
import VoiceTestKit

/// Takes of the built-in source: what is told of them, and how they are asked for.
@Suite("Takes", .lane)
struct TakeTests {
  @Test("what is told in a take: Phase once a change, Level on change, Elapsed once a second")
  func signals() throws {
    let stage = try Stage.speaking()
    stage.client.listen(0.2)
    #expect(stage.client.received.isEmpty, "told at rest: \(stage.client.received)")
    let take = try stage.begin()
    let started = BusClient.now
    stage.client.listen(3.2)
    let length = BusClient.now - started
    let told = stage.levels(since: started)
    _ = try stage.send(take)
    let ended = BusClient.now
    stage.client.listen(0.5)
    let phases = stage.client.received.filter { $0.member == "Phase" }.map(\.arguments)
    #expect(
      phases == [[.string("locked"), .uint32(take)], [.string("idle"), .uint32(take)]],
      "\(phases)")
    let rate = Double(told.count) / length
    #expect((10...32).contains(rate), "\(rate) levels a second")
    #expect(told.allSatisfy { (0...1).contains($0) && abs($0 * 100 - ($0 * 100).rounded()) < 1e-6 })
    #expect(zip(told, told.dropFirst()).allSatisfy { $0 != $1 })
    let seconds = stage.client.received.filter { $0.member == "Elapsed" }.map(\.arguments)
    #expect(seconds == (0...3).map { [.uint32($0), .int32(-1)] }, "\(seconds)")
    #expect(stage.levels(since: ended + 0.15).isEmpty)
  }

  @Test("the maximum cuts exactly there, after a countdown of whole seconds")
  func maximum() throws {
    let stage = try Stage.speaking()
    try stage.client.set("MaximumDuration", .double(2.01))
    var recording = try stage.recording(stage.begin())
    #expect(recording.ending == "maximum" && abs(recording.duration - 2.01) < 0.001)
    #expect(abs(try recording.sound().seconds - 2.01) < 0.001)
    let remaining = { (signals: [BusClient.Received]) in
      signals.filter { $0.member == "Elapsed" }.compactMap { $0.arguments.last?.whole }
    }
    #expect(Set(remaining(stage.client.received)) == [-1])
    stage.client.received.removeAll()
    try stage.client.set("MaximumDuration", .double(10.5))
    recording = try stage.recording(stage.begin(), within: 14)
    let told = remaining(stage.client.received).filter { $0 >= 0 }
    #expect(told == told.sorted(by: >) && Set(told).isSuperset(of: 1...10), "\(told)")
  }

  @Test("Begin: settings for this take alone")
  func begin() throws {
    let stage = try Stage(.none)
    let before = try stage.client.getAll()
    let answer = try stage.client.call(
      Voiced.recorderPath, Voiced.recorder, "Begin",
      [
        .dictionary([
          "source": .string("speech"), "format": .string("wav"), "hold": .boolean(true),
          "waveforms": .strings(["telegram", "matrix", "raw"]),
        ])
      ])
    #expect(answer == [.uint32(1)])
    #expect(try stage.becomes("holding"))
    try stage.notice("started")
    stage.client.listen(0.8)
    try stage.client.verb("Release")
    let recording = try stage.recording(1)
    #expect(try recording.sound().rate == 48_000)
    #expect(recording.details["waveform-telegram"]?.items?.isEmpty == false)
    #expect(recording.details["waveform-matrix"]?.items?.isEmpty == false)
    let told = try stage.client.ending(1).arguments[3]
    #expect(recording.details["waveform-raw"] == told && told.items?.isEmpty == false)
    #expect(try stage.client.getAll() == before)
  }

  @Test("the speech source gives the same samples on every run, and the level is their loudness")
  func speech() throws {
    var sounds: [[Float]] = []
    for _ in 0..<2 {
      let stage = try Stage.speaking(configuration: ["format = wav"])
      let recording = try stage.record(1.6)
      let sound = try recording.sound().channels[0]
      let loudness = LoudnessCurve(sound).windows
      #expect(zip(loudness, recording.waveform).allSatisfy { abs($0 - $1) < 0.03 })
      sounds.append(sound)
    }
    let count = min(sounds[0].count, sounds[1].count)
    #expect(count > Sound.rate)
    #expect(sounds[0][..<count] == sounds[1][..<count])
  }

  @Test("a file that was played to its end lost nothing on the way")
  func played() throws {
    let stage = try Stage.speaking()
    let path = stage.rig.desktop.folder.path + "/second.wav"
    try WaveFile.write(path, channels: [Sound.sine(1)])
    let take = try stage.client.verb(
      "Begin", [.dictionary(["source": .string("file"), "target": .string(path)])])
    let recording = try stage.recording(take)
    #expect(abs(recording.duration - 1) < 0.001 && recording.gaps == 0)
  }

  @Test("take numbers go on after restarts and crashes; finished ones are listed, newest first")
  func numbers() throws {
    let stage = try Stage.speaking()
    var takes: [UInt32] = []
    for signal in [SIGTERM, SIGKILL, SIGTERM] {
      takes.append(try stage.record(0.7).take)
      takes.append(try stage.begin())
      try stage.client.verb("Cancel")
      let cancelled = try stage.client.ending(takes[takes.count - 1])
      #expect(cancelled.ending == "cancelled", "\(cancelled.arguments)")
      // Its process may only now come to make the file, and to delete it.
      #expect(stage.client.wait(2) { stage.files(in: "spool").isEmpty })
      stage.daemon.stop(signal)
      try stage.restart()
    }
    #expect(takes == Array(1...6))
    let listed = try stage.client.manager("GetTakes").first?.items?.compactMap(\.entries) ?? []
    #expect(listed.compactMap { $0["take"]?.whole } == [5, 3, 1])
    #expect(listed.allSatisfy { $0["state"]?.text == "finished" })
  }
}
