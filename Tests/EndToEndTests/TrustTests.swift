import Glibc
import Testing
import VoiceIO
import VoiceTestKit

/// Who may hear, and who is seen to.
@Suite("Trust", .lane)
struct TrustTests {
  @Test("off that could not be kept is kept as soon as it is asked for again")
  func keptLater() throws {
    let stage = try Stage.speaking()
    let place = stage.rig.desktop.state + "/voiced/access"
    // It has its folder before it answers.
    #expect(try stage.phase == "idle")
    #expect(mkdir(place, 0o700) == 0)
    let off = BusValue.boolean(false)
    #expect(
      stage.client.error { try $0.set("Access", off, of: Voiced.manager) } == "FolderUnusable")
    #expect(try stage.client.get("Access", of: Voiced.manager) == off)
    rmdir(place)
    try stage.client.set("Access", off, of: Voiced.manager)
    _ = stage.daemon.stop()
    try stage.restart()
    #expect(try stage.client.get("Access", of: Voiced.manager) == off)
  }

  @Test("the access switch ends what hears the user, refuses more, and is kept across restarts")
  func accessSwitch() throws {
    let stage = try Stage(.running)
    _ = try stage.rig.microphone("mine", Sound.sine(1, hertz: 400))
    let lease = try stage.client.openMonitor(["source": .string("microphone")])
    let playing = try stage.client.openMonitor(["source": .string("speech")])
    let take = try stage.begin()
    stage.client.listen(0.7)
    try stage.client.set("Access", .boolean(false), of: Voiced.manager)
    #expect(try stage.becomes("stopped"))
    try stage.notice("access-off", within: 2)
    try stage.client.signal("Closed", within: 2, path: lease) {
      $0.arguments == [.string("access-off")]
    }
    #expect(try stage.client.wait(4) { try stage.nodes().isEmpty }, "a microphone node is left")
    #expect(stage.hears(playing, floor: 0.05))
    #expect(try stage.send(take).duration > 0.5)

    func expectRefused() throws {
      for verb in ["Start", "Press"] {
        #expect(stage.client.error { _ = try $0.verb(verb) } == "AccessOff")
      }
      for target in ["", "mine", "monitor:speakers", "app:Firefox"] {
        let options: [String: BusValue] = [
          "source": .string("microphone"), "target": .string(target),
        ]
        #expect(stage.client.error { _ = try $0.openMonitor(options) } == "AccessOff", "\(target)")
      }
    }
    let before = stage.notices("access-off").count
    try expectRefused()
    #expect(stage.notices("access-off").count > before)
    #expect(try stage.phase == "idle")
    #expect(stage.daemon.stop() == .exited(0))
    try stage.restart()
    #expect(try stage.client.get("Access", of: Voiced.manager) == .boolean(false))
    try expectRefused()
    try stage.client.set("Access", .boolean(true), of: Voiced.manager)
    #expect(try stage.record(0.7).tones(400).contains("0"))
  }

  @Test("a switch that is set to what it is tells no change")
  func unchangedSwitch() throws {
    let stage = try Stage.speaking()
    let listener = try BusClient(stage.rig.desktop.busAddress, hears: "org.freedesktop.DBus.Prop")
    for on in [true, false, false, true] {
      try stage.client.set("Access", .boolean(on), of: Voiced.manager)
    }
    listener.listen(0.3)
    let told = listener.received.filter { $0.member == "PropertiesChanged" }
      .compactMap { $0.arguments[1].entries?["Access"] }
    #expect(told == [.boolean(false), .boolean(true)])
  }

  @Test("Listeners names each listener, with process and pid as the bus tells them")
  func listeners() throws {
    let stage = try Stage.speaking()
    #expect(try stage.client.get("Listeners", of: Voiced.manager).items?.isEmpty == true)
    let owner = try stage.lessee()
    let take = try stage.client.call(
      Voiced.recorderPath, Voiced.recorder, "Begin",
      [.dictionary(["application": .string("a test"), "source": .string("speech")])])
    #expect(take == [.uint32(1)])
    var listeners: [[String: BusValue]] = []
    #expect(
      try stage.client.wait(5) {
        let items = try stage.client.get("Listeners", of: Voiced.manager).items ?? []
        listeners = items.compactMap(\.entries)
        return listeners.count == 2
      })
    let recording = try #require(listeners.first { $0["kind"]?.text == "take" })
    #expect(recording["pid"]?.whole == Int64(getpid()))
    #expect(recording["process"]?.text?.isEmpty == false)
    #expect(recording["application"]?.text == "a test" && recording["source"]?.text == "speech")
    let monitor = try #require(listeners.first { $0["kind"]?.text == "monitor" })
    #expect(monitor["pid"]?.whole == Int64(owner.pid) && monitor["process"]?.text == "vctl")
    #expect(monitor["rate"]?.whole == 30 && monitor["reason"]?.text == "monitor")
    owner.end()
    try stage.client.verb("Cancel")
    #expect(
      try stage.client.wait(3) {
        try stage.client.get("Listeners", of: Voiced.manager).items?.isEmpty == true
      })
  }

  @Test("a stream that only meters says so; a take switches it on the same node, without a gap")
  func metering() throws {
    let stage = try Stage(.running)
    // A burst every 20 ms: a gap shows as a missing one.
    _ = try stage.rig.microphone("mine", Sound.clicks(1))
    try stage.use("microphone", "mine")
    let lease = try stage.client.openMonitor([
      "source": .string("microphone"), "target": .string("mine"),
    ])
    #expect(stage.hears(lease, floor: 0.1))
    func mark() throws -> [String] {
      try stage.nodes().map { "\($0.id) \($0.properties["stream.monitor"] == "true")" }
    }
    let metering = try #require(try mark().first)
    #expect(metering.hasSuffix(" true"))
    let id = metering.split(separator: " ")[0]
    // A busy machine's audio server has gaps of its own now and then, but not in every take.
    let isFaultless = try (0..<3).contains { _ in
      let take = try stage.begin()
      #expect(try stage.client.wait(3) { try mark() == ["\(id) false"] })
      stage.client.listen(0.8)
      let recording = try stage.send(take)
      #expect(try stage.client.wait(3) { try mark() == ["\(id) true"] })
      let file = try recording.sound()
      let pause = widestPause(in: file.channels[0], rate: file.rate, floor: 0.2)
      return recording.gaps == 0 && pause < 0.0225
    }
    #expect(isFaultless, "a gap in each take")
    _ = try stage.client.call(lease, Voiced.monitor, "Close")
    #expect(try stage.isAtRest())
  }

  /// Seconds of the longest stretch without a sample at or above the floor.
  private func widestPause(in samples: [Float], rate: Int, floor: Float) -> Double {
    var (longest, last) = (0, 0)
    for (index, sample) in samples.enumerated() where abs(sample) >= floor {
      longest = max(longest, index - last)
      last = index
    }
    return Double(max(longest, samples.count - last)) / Double(rate)
  }

  @Test("recordings are the user's alone, and a descriptor of one is read-only")
  func files() throws {
    let stage = try Stage.speaking()
    let recording = try stage.record(0.7)
    func mode(_ path: String) -> UInt32 {
      var facts = stat()
      return stat(path, &facts) == 0 ? facts.st_mode & 0o777 : 0
    }
    #expect(mode(recording.path) == 0o600)
    for folder in ["", "/recordings", "/spool"] {
      #expect(mode(stage.rig.desktop.state + "/voiced" + folder) == 0o700, "\(folder)")
    }
    let answer = try stage.client.manager("OpenTake", [.uint32(recording.take)])
    guard case .descriptor(let descriptor) = answer.first else {
      Issue.record("no descriptor, but \(answer)")
      return
    }
    defer { close(descriptor) }
    #expect(fcntl(descriptor, F_GETFL) & O_ACCMODE == O_RDONLY)
    #expect(write(descriptor, "x", 1) == -1)
    var facts = stat()
    #expect(fstat(descriptor, &facts) == 0)
    #expect(recording.details["bytes"]?.whole == Int64(facts.st_size))
  }
}
