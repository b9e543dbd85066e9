import Testing
import VoiceIO
import VoiceTestKit

private let low = Sound.sine(1, hertz: 400)
private let high = Sound.sine(1, hertz: 900)

/// Microphones that go and come back: `low` is heard as 0 and `high` as 1 in a recording.
@Suite("Unplugged microphones", .lane)
struct UnplugTests {
  @Test("a pinned one is back in time: the take goes on, the gap is told, nothing stands in")
  func pinnedForAMoment() throws {
    let stage = try Stage(.running)
    _ = try stage.rig.microphone("other", high)
    let mine = try stage.rig.microphone("mine", low)
    try stage.rig.audio.setDefaultSource("other")
    try stage.use("microphone", "mine")
    let take = try stage.begin()
    #expect(try stage.linked == "mine")
    stage.client.listen(1)
    let unplugged = BusClient.now
    try mine.unplug()
    try stage.notice("source-lost", within: 2, since: unplugged)
    #expect(try stage.linked == "")
    stage.client.listen(0.4)
    try mine.plug()
    try stage.notice("source-back", within: 4, since: unplugged)
    #expect(try stage.linked == "mine")
    stage.client.listen(1)
    #expect(try stage.phase == "locked")
    let recording = try stage.send(take)
    let tones = try recording.tones(400, 900)
    #expect(tones.hasPrefix("00") && tones.hasSuffix("0") && !tones.contains("1"), "\(tones)")
    #expect(recording.gaps > 0.3 && recording.gaps < 3.2, "\(recording.gaps)")
    #expect(abs(recording.duration + recording.gaps - recording.elapsed) < 0.35)
    #expect(stage.notices("source-lost").count == 1 && stage.notices("source-back").count == 1)
  }

  @Test("a locked take is stopped after 3 s with what it had, and the next one hears the replug")
  func lostWhileLocked() throws {
    let stage = try Stage(.running)
    let mine = try stage.rig.microphone("mine", low)
    try stage.use("microphone", "mine")
    let take = try stage.begin()
    stage.client.listen(1)
    let unplugged = BusClient.now
    try mine.unplug()
    let stopped = try stage.client.signal("Phase", within: 6, since: unplugged)
    #expect(stopped.arguments == [.string("stopped"), .uint32(take)])
    #expect((2.5...4.5).contains(stopped.time - unplugged), "\(stopped.time - unplugged) s")
    try stage.notice("stopped", since: unplugged)
    let recording = try stage.send(take)
    #expect((0.8...2.0).contains(recording.duration), "\(recording.duration) s")
    #expect(try stage.isAtRest())
    try mine.plug()
    #expect(try stage.record(0.8).tones(400).contains("00"))
  }

  @Test("a held take is interrupted after 3 s, and its sound waits in the recovery area")
  func lostWhileHeld() throws {
    let stage = try Stage(.running)
    let mine = try stage.rig.microphone("mine", low)
    try stage.use("microphone", "mine")
    let take = try stage.begin("Press")
    stage.client.listen(0.8)
    try mine.unplug()
    let end = try stage.client.ending(take, within: 6)
    #expect(end.ending == "interrupted", "\(end.arguments)")
    try stage.client.signal("TakeFound", within: 3) { $0.arguments.first == .uint32(take) }
    let kept = try stage.client.manager("GetTakes").first?.items?.first?.entries
    #expect(kept?["take"] == .uint32(take) && kept?["state"]?.text == "interrupted")
    #expect((kept?["duration"]?.number ?? 0) > 0.6)
    #expect(try stage.phase == "idle")
    #expect(stage.files(in: "recovery").count == 1 && stage.files(in: "spool").isEmpty)
  }

  @Test("the default one is back in time: the take goes on")
  func defaultForAMoment() throws {
    let stage = try Stage(.running)
    let mine = try stage.rig.microphone("mine", low)
    let take = try stage.begin()
    stage.client.listen(0.7)
    let unplugged = BusClient.now
    try mine.unplug()
    try stage.notice("source-lost", within: 2, since: unplugged)
    #expect(try stage.linked == "")
    stage.client.listen(0.4)
    try mine.plug()
    try stage.notice("source-back", within: 4, since: unplugged)
    stage.client.listen(0.7)
    let recording = try stage.send(take)
    #expect(recording.ending == "sent" && recording.gaps > 0.3)
    #expect(try recording.tones(400).filter { $0 == "0" }.count >= 4)
  }

  @Test("the default one goes and another becomes the default: the take goes on with it")
  func defaultFallsToAnother() throws {
    let stage = try Stage(.running)
    _ = try stage.rig.microphone("second", high)
    let first = try stage.rig.microphone("first", low)
    try stage.rig.audio.setDefaultSource("first")
    let take = try stage.begin()
    #expect(try stage.linked == "first")
    stage.client.listen(0.7)
    try first.unplug()
    let isLinked = try stage.client.wait(8) { try stage.linked == "second" }
    let byDefault = try stage.rig.audio.defaultSource() ?? "none"
    #expect(isLinked, "default \(byDefault); \(stage.daemon.log)")
    stage.client.listen(0.7)
    let tones = try stage.send(take).tones(400, 900)
    #expect(tones.hasPrefix("00") && tones.hasSuffix("1"), "\(tones)")
  }

  @Test("the default changes in mid-take: a take on the default follows, a pinned one does not")
  func defaultChanges() throws {
    let stage = try Stage(.running)
    _ = try stage.rig.microphone("one", low)
    _ = try stage.rig.microphone("two", high)
    try stage.rig.audio.setDefaultSource("one")
    let path = try stage.pinnedRecorder("one")
    let pinned = try stage.client.verb("Start", path: path)
    let take = try stage.begin()
    stage.client.listen(0.8)
    try stage.rig.audio.setDefaultSource("two")
    #expect(try stage.client.wait(3) { try stage.linked == "two" })
    #expect(try stage.client.get("LinkedTarget", path: path).text == "one")
    stage.client.listen(0.8)
    let tones = try stage.send(take).tones(400, 900)
    #expect(tones.hasPrefix("0") && tones.hasSuffix("1"), "\(tones)")
    let straight = try stage.send(pinned, path: path).tones(400, 900)
    #expect(straight.dropFirst().allSatisfy { $0 == "0" }, "\(straight)")
    #expect(stage.notices("stopped").isEmpty)
  }

  @Test("a lease waits for its microphone as long as it takes, and never takes another")
  func leaseWaits() throws {
    let stage = try Stage(.running)
    _ = try stage.rig.microphone("other", high)
    let mine = try stage.rig.microphone("mine", low)
    try stage.rig.audio.setDefaultSource("other")
    let lease = try stage.client.openMonitor([
      "source": .string("microphone"), "target": .string("mine"),
    ])
    #expect(stage.hears(lease))
    let unplugged = BusClient.now
    try mine.unplug()
    try stage.notice("source-lost", within: 3, since: unplugged, path: lease)
    stage.client.listen(3.8)
    #expect(!stage.client.received.contains { $0.member == "Closed" })
    #expect(try stage.rig.audio.sources(of: stage.family).isEmpty)
    #expect(stage.levels(of: lease, since: BusClient.now - 1).allSatisfy { $0 == 0 })
    try mine.plug()
    #expect(stage.hears(lease))
    try stage.notice("source-back", since: unplugged, path: lease)
    #expect(
      try stage.client.get("LinkedTarget", of: Voiced.monitor, path: lease).text == "mine")
  }
}

extension Stage {
  /// A private recorder on one microphone, in the format that the tests read.
  func pinnedRecorder(_ target: String, _ options: [String: BusValue] = [:]) throws -> String {
    let all: [String: BusValue] = [
      "Source": .string("microphone"), "Target": .string(target), "Format": .string("wav16k"),
    ]
    let answer = try client.manager("CreateRecorder", [.dictionary(all.merging(options) { $1 })])
    guard let path = answer.first?.text else { throw RigFailure("no recorder, but \(answer)") }
    return path
  }
}
