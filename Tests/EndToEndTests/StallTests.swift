import Glibc
import Testing
import VoiceIO
import VoiceTestKit

private let tone = Sound.sine(1, hertz: 400)

/// A server that answers nothing: stopped with SIGSTOP, which is what a hung one looks like.
@Suite("A stalled audio server", .lane)
struct StallTests {
  @Test("it comes back within 3 s: take and lease go on, the gap is counted")
  func shortStall() throws {
    let stage = try Stage(.running)
    _ = try stage.rig.microphone("mine", tone)
    try stage.use("microphone", "mine")
    let lease = try stage.client.openMonitor([
      "source": .string("microphone"), "target": .string("mine"),
    ])
    let take = try stage.begin()
    stage.client.listen(0.8)
    try stage.rig.audio.stall()
    try stage.notice("source-lost", within: 2, path: Voiced.recorderPath)
    stage.client.listen(0.9)
    try stage.rig.audio.resume()
    #expect(stage.hears(lease))
    try stage.notice("source-back", within: 2, path: Voiced.recorderPath)
    stage.client.listen(0.6)
    #expect(try stage.phase == "locked")
    let recording = try stage.send(take)
    #expect((0.8...2.9).contains(recording.gaps), "\(recording.gaps) s")
    #expect(abs(recording.duration + recording.gaps - recording.elapsed) < 0.35)
  }

  @Test("it stays away for longer: the take is stopped, the lease waits, and all is well after")
  func longStall() throws {
    let stage = try Stage(.running)
    _ = try stage.rig.microphone("mine", tone)
    try stage.use("microphone", "mine")
    let lease = try stage.client.openMonitor([
      "source": .string("microphone"), "target": .string("mine"),
    ])
    let take = try stage.begin()
    stage.client.listen(0.8)
    try stage.rig.audio.stall()
    #expect(try stage.becomes("stopped", within: 6))
    #expect(try stage.send(take).duration > 0.6)
    try stage.rig.audio.resume()
    #expect(stage.hears(lease))
    #expect(try stage.record(0.8).tones(400).contains("00"))
  }

  @Test("no call takes longer than 100 ms, and Cancel ends a start that cannot come about")
  func callsAnswer() throws {
    let stage = try Stage(.running)
    _ = try stage.rig.microphone("mine", tone)
    // The plugins are known before the server stalls, as on a machine that runs.
    _ = try stage.client.getAll(of: Voiced.manager)
    try stage.rig.audio.stall()
    var slowest: [String: Double] = [:]
    // A busy machine may be slow once; a call that waits for the server is slow each time.
    for round in 0..<10 where round < 2 || slowest.values.contains(where: { $0 >= 0.1 }) {
      let takes = try stage.callEverything { name, seconds in
        slowest[name] = min(slowest[name] ?? .infinity, seconds)
      }
      for take in takes {
        let ending = try stage.client.ending(take).ending
        #expect(ending == "cancelled" || ending == "too-short", "\(ending ?? "")")
      }
    }
    #expect(slowest.values.allSatisfy { $0 < 0.1 }, "\(slowest)")
    #expect(try stage.phase == "idle")
    try stage.rig.audio.resume()
    #expect(try stage.record(0.6).tones(400).contains("0"))
    #expect(try stage.isAtRest())
  }

  @Test("GetTargets says within a second that it cannot tell")
  func targets() throws {
    let stage = try Stage(.running)
    _ = try stage.client.getAll(of: Voiced.manager)
    try stage.rig.audio.stall()
    let asked = BusClient.now
    let error = stage.client.error { try $0.manager("GetTargets", [.string("microphone")]) }
    #expect(error == "SourceUnavailable")
    #expect(BusClient.now - asked < 2.5)
  }

  @Test("SIGTERM in a take: gone within 5 s, the sound kept", arguments: ["Start", "Press"])
  func termination(verb: String) throws {
    let stage = try Stage(.running)
    _ = try stage.rig.microphone("mine", tone)
    let take = try stage.begin(verb)
    stage.client.listen(0.8)
    let children = stage.daemon.children
    try stage.rig.audio.stall()
    stage.client.listen(0.3)
    let told = BusClient.now
    #expect(stage.daemon.stop() == .exited(0))
    #expect(BusClient.now - told < 5)
    #expect(waitUntil(2) { children.allSatisfy { !$0.isAlive } })
    try stage.rig.audio.resume()
    try stage.restart()
    let kept = try stage.client.manager("GetTakes").first?.items?.first?.entries
    #expect(kept?["take"] == .uint32(take) && (kept?["duration"]?.number ?? 0) > 0.6)
  }
}

extension Stage {
  /// Calls what a client calls, each with a clock; returns the takes it began.
  fileprivate func callEverything(_ note: (String, Double) -> Void) throws -> [UInt32] {
    func timed<R>(_ name: String, _ call: () throws -> R) rethrows -> R {
      let asked = BusClient.now
      defer { note(name, BusClient.now - asked) }
      return try call()
    }
    var takes: [UInt32] = []
    takes.append(try timed("Start") { try client.verb("Start") })
    _ = try timed("GetAll") { try client.getAll() }
    _ = try timed("GetPeaks") {
      try client.call(recorder, Voiced.recorder, "GetPeaks", [.uint32(0)])
    }
    _ = try timed("Cancel") { try client.verb("Cancel") }
    takes.append(try timed("Press") { try client.verb("Press") })
    _ = try timed("Release") { try client.verb("Release") }
    let lease = try timed("OpenMonitor") {
      try client.openMonitor(["source": .string("microphone"), "target": .string("mine")])
    }
    _ = try timed("Listeners") { try client.get("Listeners", of: Voiced.manager) }
    _ = try timed("Sources") { try client.get("Sources", of: Voiced.manager) }
    _ = try timed("GetTakes") { try client.manager("GetTakes") }
    _ = try timed("Close") { try client.call(lease, Voiced.monitor, "Close") }
    return takes
  }
}
