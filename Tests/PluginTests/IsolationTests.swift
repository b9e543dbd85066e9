import Glibc
import Testing
import VoiceIO
import VoiceTestKit

/// What a bad plugin costs, seen from outside: its source, and nothing else.
@Suite("A bad plugin in a running daemon")
struct IsolationTests {
  static let kinds = [
    "trap_start", "exit_start", "trap_render", "hang_start", "hang_stop", "flood",
    "push_after_stop",
    "push_two_threads", "nan_render", "huge_push", "lies_rate", "lies_channels", "leaks", "forks",
    "closes_descriptors", "writes_output", "floods_log", "eats_memory", "takes_signal",
  ]

  @Test("costs its source: the daemon answers, its children end, speech records", arguments: kinds)
  func costsItsSource(kind: String) throws {
    let rig = try Rig(audio: false)
    let folder = try rig.desktop.folder.folder("p")
    try BadPlugin.named(kind).build(in: folder, id: "bad")
    let daemon = try rig.daemon(environment: ["VOICED_PLUGIN_PATH": folder])
    let client = try rig.client()
    try client.set("Format", .string("wav16k"))
    try client.set("Source", .string("bad"))

    let begun = BusClient.now
    let take = try client.verb("Start")
    #expect(BusClient.now - begun < 1, "Start did not answer at once")
    try #require(take > 0)
    // Whatever becomes of it: the take ends by itself, or is sent.
    _ = client.wait(1.2) { client.received.contains { $0.member == "Discarded" } }
    _ = try client.verb("Send")
    let ending = try client.ending(take, within: 8)
    if ending.member == "Finished" { try expectSound(ending) }
    #expect(daemon.isAtRest(within: 8), "left: \(daemon.children.map(\.command))")

    try client.set("Source", .string("speech"))
    let good = try client.verb("Start")
    _ = try client.signal("Notice", within: 5, since: begun) {
      $0.arguments.first == .string("started")
        && $0.arguments.last?.entries?["take"] == .uint32(good)
    }
    _ = client.listen(0.8)
    _ = try client.verb("Send")
    #expect(try client.ending(good, within: 5).member == "Finished")
    #expect(daemon.process.isRunning)
    #expect(daemon.isAtRest(within: 5), "left: \(daemon.children.map(\.command))")
  }

  /// What reached a file is sound: finite, and within full scale.
  private func expectSound(_ finished: BusClient.Received) throws {
    guard case .string(let uri) = finished.arguments[1], uri.hasPrefix("file://") else {
      throw RigFailure("Finished without a file")
    }
    let file = try WaveFile(String(uri.dropFirst("file://".count)))
    #expect(file.channels.allSatisfy { $0.allSatisfy { $0.isFinite && abs($0) <= 1 } })
  }
}
