import Glibc
import Testing
import VoiceIO
import VoiceTestKit

/// Media players fall silent while a take runs, and those alone go on after it.
@Suite("Pausing media", .lane)
struct PauseMediaTests {
  private static func stage(_ configuration: String...) throws -> Stage {
    try Stage.speaking(configuration: ["pause-media = yes"] + configuration)
  }

  /// How a take comes to its end.
  enum End: CaseIterable { case sent, cancelled, tooShort, maximum, interrupted, killed, shutdown }

  @Test(
    "what plays is paused and goes on however the take ends, what does not play is left alone",
    arguments: End.allCases)
  func pauses(until end: End) throws {
    let stage = try Self.stage("maximum = \(end == .maximum ? 1 : 60)")
    let players = [try FakePlayer(stage, "first"), try FakePlayer(stage, "second")]
    let others = [
      try FakePlayer(stage, "paused", status: "Paused"),
      try FakePlayer(stage, "stopped", status: "Stopped"),
      // It would pause and resume the others, or one that was paused before.
      try FakePlayer(stage, "playerctld"),
    ]
    if end == .interrupted { try stage.view("Attach") }
    let take = try stage.client.verb(end == .tooShort ? "Press" : "Start")
    #expect(stage.client.wait(3) { players.allSatisfy { $0.asked == ["Pause"] } })
    switch end {
    case .sent:
      try stage.notice("started")
      stage.client.listen(0.7)
      _ = try stage.send(take)
    case .cancelled: try stage.client.verb("Cancel")
    case .tooShort: try stage.client.verb("Release")
    case .maximum: _ = try stage.recording(take)
    case .interrupted: try stage.view("Detach")
    case .killed: kill(try stage.daemon.child("voiced-take").pid, SIGKILL)
    case .shutdown: #expect(stage.daemon.stop() == .exited(0))
    }
    #expect(stage.client.wait(3) { players.allSatisfy { $0.asked == ["Pause", "Play"] } })
    #expect(others.allSatisfy { $0.asked.isEmpty }, "\(others.map(\.asked))")
  }

  @Test("without the setting no player is asked anything, and one call can ask for it")
  func setting() throws {
    let stage = try Stage.speaking()
    let player = try FakePlayer(stage, "x")
    try stage.begin()
    #expect(!player.isSeen)
    try stage.client.verb("Cancel")
    _ = try stage.client.call(
      Voiced.recorderPath, Voiced.recorder, "Begin", [.dictionary(["pause-media": .boolean(true)])])
    #expect(stage.client.wait(3) { player.status == "Paused" })
    try stage.client.verb("Cancel")
    #expect(stage.client.wait(3) { player.status == "Playing" })
    try stage.client.set("PauseMedia", .boolean(true))
    try stage.client.verb("Start")
    #expect(stage.client.wait(3) { player.status == "Paused" })
  }

  @Test("a player that never answers holds up neither the take nor the other players")
  func neverAnswers() throws {
    let stage = try Self.stage()
    let silent = try FakePlayer(stage, "silent", answers: false)
    let player = try FakePlayer(stage, "well")
    for _ in 0..<2 {
      let asked = BusClient.now
      let take = try stage.begin()
      #expect(stage.client.wait(1) { player.status == "Paused" && silent.isSeen })
      #expect(BusClient.now - asked < 2)
      stage.client.listen(0.7)
      #expect(try stage.send(take).ending == "sent")
      #expect(stage.client.wait(1) { player.status == "Playing" })
    }
    #expect(silent.asked.isEmpty)
  }

  @Test("a player that left is not started again, nor is the next of its name made to play")
  func leaves() throws {
    let stage = try Self.stage()
    let name = "org.mpris.MediaPlayer2.gone"
    let mark = stage.rig.desktop.folder.path + "/started"
    try stage.rig.makeActivatable(name, "/bin/touch \(mark)")
    var gone: FakePlayer? = try FakePlayer(stage, "gone")
    var replaced: FakePlayer? = try FakePlayer(stage, "replaced")
    let stays = try FakePlayer(stage, "stays")
    try stage.client.verb("Start")
    #expect(
      stage.client.wait(3) {
        [gone, replaced, stays].allSatisfy { $0?.status == "Paused" }
      })
    (gone, replaced) = (nil, nil)
    for left in [name, "org.mpris.MediaPlayer2.replaced"] {
      #expect(try stage.client.waitForOwner(left, present: false))
    }
    let next = try FakePlayer(stage, "replaced", status: "Paused")
    try stage.client.verb("Cancel")
    #expect(stage.client.wait(3) { stays.status == "Playing" })
    #expect(next.asked.isEmpty)
    #expect(!waitUntil(0.5) { access(mark, F_OK) == 0 }, "it was started again")
    #expect(gone == nil && replaced == nil)
  }

  @Test("a take that is over before the players have answered leaves them playing")
  func short() throws {
    let stage = try Self.stage()
    let player = try FakePlayer(stage, "x")
    for _ in 0..<5 {
      // The player is served again once both have their answers.
      for member in ["Press", "Cancel"] {
        stage.client.bus.call(
          destination: Voiced.name, path: Voiced.recorderPath, interface: Voiced.recorder,
          member: member
        ) { _ in }
      }
      try stage.client.signal("Discarded", since: BusClient.now)
      stage.client.listen(0.1)
      #expect(player.status == "Playing")
    }
    #expect(player.asked.count % 2 == 0)
  }

  @Test("two takes at a time: silence until the last ends; what the user plays again plays on")
  func twoTakes() throws {
    let stage = try Self.stage()
    let player = try FakePlayer(stage, "x")
    let path = try #require(
      stage.client.manager("CreateRecorder", [.dictionary(["PauseMedia": .boolean(true)])])
        .first?.text)
    try stage.client.verb("Start")
    #expect(stage.client.wait(3) { player.status == "Paused" })
    let later = try FakePlayer(stage, "later")
    try stage.client.verb("Start", path: path)
    #expect(stage.client.wait(3) { later.status == "Paused" })
    try stage.client.verb("Cancel")
    stage.client.listen(0.2)
    #expect(player.status == "Paused" && later.status == "Paused")
    player.play()
    try stage.client.verb("Start")
    stage.client.listen(0.2)
    #expect(player.status == "Playing")
    for path in [path, Voiced.recorderPath] { try stage.client.verb("Cancel", path: path) }
    #expect(stage.client.wait(3) { later.status == "Playing" })
    #expect(player.status == "Playing")
  }
}

extension Stage {
  /// Makes the client a view, or ends that.
  fileprivate func view(_ member: String) throws {
    _ = try client.call(recorder, Voiced.recorder, member)
  }
}
