import Foundation
import Glibc
import Testing
import VoiceIO
import VoiceTestKit

/// Clients that are slow, greedy or frozen, and names that no program expects.
@Suite("Slow and hostile peers", .lane)
struct PeerTests {
  @Test("a lease owner that is stopped is paused: no more levels until it runs again")
  func stoppedOwner() throws {
    let stage = try Stage.speaking()
    let wire = try BusLog(stage.rig)
    let owner = try stage.lessee()
    #expect(waitUntil(6) { wire.count > 10 })
    owner.signal(SIGSTOP)
    let stopped = BusClient.now
    // Levels end within two rounds of pings, 10 s.
    var (last, since) = (wire.count, BusClient.now)
    let isPaused = waitUntil(16, step: 0.1) {
      if wire.count != last { (last, since) = (wire.count, BusClient.now) }
      return BusClient.now - since > 1.5
    }
    #expect(isPaused, "levels were still sent \(BusClient.now - stopped) s later")
    #expect(
      try stage.client.get("Listeners", of: Voiced.manager).items?.count == 1, "it has its lease")
    owner.signal(SIGCONT)
    #expect(waitUntil(8) { wire.count > last + 10 }, "no levels after it runs again")
    owner.end()
    #expect(try stage.isAtRest())
  }

  @Test("a frozen subscriber to the broadcast does not grow the daemon, nor stop the take")
  func frozenSubscriber() throws {
    let stage = try Stage.speaking()
    let frozen = try stage.rig.client()
    let take = try stage.begin()
    stage.client.listen(0.5)
    let before = stage.daemon.facts.ownMemory
    stage.client.listen(2)
    #expect(isSanitized || stage.daemon.facts.ownMemory - before < 512)
    #expect(try stage.send(take).gaps < 0.2)
    withExtendedLifetime(frozen) {}
  }

  @Test("100 Hz GetAll from three clients does no harm to a take")
  func polling() throws {
    let stage = try Stage.speaking()
    let clients = try (0..<3).map { _ in try stage.rig.client() }
    let take = try stage.begin()
    let began = BusClient.now
    var answers = 0
    let used = stage.daemon.facts.processorTime
    while BusClient.now - began < 2 {
      for client in clients where try client.getAll()["CurrentPhase"]?.text == "locked" {
        answers += 1
      }
      stage.client.listen(0.01)
    }
    let share = Double(stage.daemon.facts.processorTime - used) / 1e9 / (BusClient.now - began)
    let recording = try stage.send(take)
    #expect(answers > 60, "\(answers) answers")
    #expect(recording.duration > 1.8 && recording.gaps < 0.2)
    #expect(stage.levels().count > 20)
    // Built for debugging, and with 300 calls a second: far from a busy core all the same.
    #expect(share < 0.5, "\(share) of a core")
  }

  @Test("PropertiesChanged tells real changes only, and never Level or Elapsed")
  func propertiesChanged() throws {
    let stage = try Stage.speaking()
    let listener = try BusClient(stage.rig.desktop.busAddress, hears: "org.freedesktop.DBus.Prop")
    var known = try listener.getAll()
    known.merge(try listener.getAll(of: Voiced.manager)) { $1 }
    listener.received.removeAll()
    let take = try stage.begin("Press")
    try stage.client.verb("Lock")
    stage.client.listen(1.2)
    try stage.client.set("Format", .string("wav"))
    try stage.client.set("Format", .string("wav"))
    _ = try stage.send(take)
    #expect(try stage.isAtRest())
    listener.listen(0.3)
    let changes = listener.received.filter { $0.member == "PropertiesChanged" }
    #expect((4...10).contains(changes.count), "\(changes.count)")
    for change in changes {
      for (name, value) in change.arguments[1].entries ?? [:] {
        #expect(!name.hasSuffix("Level") && !name.hasSuffix("Elapsed"), "\(name)")
        #expect(known[name] != value, "\(name) was told again: \(value)")
        known[name] = value
      }
      #expect(change.arguments[2].items?.isEmpty == true)
    }
  }

  @Test("names with markup, quotes, control characters and bytes that are no UTF-8 are safe")
  func oddNames() throws {
    let stage = try Stage(.running) { rig in
      let file = rig.desktop.folder.path + "/odd.wav"
      try WaveFile.write(file, channels: [Sound.sine(1, hertz: 400)], seconds: 40)
      rig.add(try OddMicrophone.plug(rig, file: file))
    }
    let targets = try stage.targets()
    let odd = try #require(targets.first { $0["target"]?.text?.contains("odd") == true })
    let target = try #require(odd["target"]?.text)
    #expect(odd["name"]?.text?.contains("Tom & \"J\" <mic>") == true, "\(odd)")
    let watch = try stage.startVctl("watch", "--format", "json")
    let bar = try stage.startVctl("watch", "--format", "waybar")
    #expect(waitUntil(5) { !watch.lines.isEmpty && !bar.lines.isEmpty })
    try stage.use("microphone", target)
    let take = try stage.begin()
    #expect(try stage.linked == target)
    stage.client.listen(0.8)
    #expect(try stage.send(take).tones(400).contains("0"))
    stage.client.listen(0.3)
    for line in watch.lines + bar.lines {
      #expect((try? JSONSerialization.jsonObject(with: Data(line.utf8))) != nil, "\(line)")
    }
    for line in bar.lines {
      let object = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
      for key in ["text", "tooltip"] {
        let text = object?[key] as? String ?? ""
        #expect(!text.contains("<mic>") && !text.contains(" & "), "\(text)")
      }
    }
    #expect(watch.isText && bar.isText, "not UTF-8")
  }

  @Test("hundreds of questions for the targets of a stalled server cost one process, all answered")
  func manyQuestions() throws {
    let stage = try Stage(.running)
    let flooder = try stage.rig.client()
    _ = try stage.client.get("Sources", of: Voiced.manager)
    try stage.rig.audio.stall()
    var answers = 0
    for _ in 0..<600 {
      flooder.bus.call(
        destination: Voiced.name, path: Voiced.path, interface: Voiced.manager,
        member: "GetTargets", [.string("microphone")]
      ) { _ in answers += 1 }
    }
    var most = 0
    #expect(
      flooder.wait(10) {
        most = max(most, stage.daemon.children.count)
        return answers == 600
      }, "\(answers)")
    #expect((1...2).contains(most), "\(most) processes")
    try stage.rig.audio.resume()
    #expect(
      flooder.wait(5) {
        (try? flooder.manager("GetTargets", [.string("microphone")])) != nil
      })
  }

  @Test("thousands of descriptors that nobody asked for change nothing")
  func descriptors() throws {
    let stage = try Stage.speaking()
    let take = try stage.begin()
    let before = stage.daemon.facts.descriptors
    let flooder = try stage.rig.client()
    let many = BusValue.array(of: "h", [BusValue](repeating: .descriptor(0), count: 250))
    var answers = 0
    for _ in 0..<40 {
      flooder.bus.call(
        destination: Voiced.name, path: Voiced.path, interface: Voiced.manager, member: "OpenTake",
        [many]
      ) { _ in answers += 1 }
    }
    #expect(flooder.wait(10) { answers == 40 || flooder.isDisconnected }, "\(answers)")
    #expect(try stage.phase == "locked")
    #expect(stage.client.wait(3) { stage.daemon.facts.descriptors.count <= before.count })
    stage.client.listen(0.8)
    #expect(try stage.send(take).ending == "sent")
  }

  @Test("a megabyte in a call, a thousand unanswered calls, and a half-sent message change nothing")
  func abuse() throws {
    let stage = try Stage.speaking()
    let before = try stage.client.getAll()
    let large = String(repeating: "x", count: 1_000_000)
    #expect(stage.client.error { try $0.set("Target", .string(large)) } == "InvalidValue")
    #expect(
      stage.client.error { _ = try $0.openMonitor(["reason": .string(large)]) } == "InvalidValue")
    let flooder = try stage.rig.client()
    var answers = 0
    for _ in 0..<1000 {
      flooder.bus.call(
        destination: Voiced.name, path: Voiced.path, interface: Voiced.manager, member: "OpenTake",
        [.uint32(4_000_000)]
      ) { _ in answers += 1 }
    }
    #expect(flooder.wait(10) { answers == 1000 })
    #expect(try stage.client.getAll() == before)
    #expect(stage.client.received.allSatisfy { $0.member != "Phase" })
    #expect(try stage.record(0.7).duration > 0.5)
  }
}

/// The levels of leases that pass over a bus, counted by a program that watches it.
private final class BusLog {
  private let file: String
  private let process: RigProcess

  init(_ rig: Rig) throws {
    file = rig.desktop.log("levels")
    process = try RigProcess(
      ChildCommand(
        path: "dbus-monitor",
        arguments: ["--session", "--profile", "type='signal',interface='\(Voiced.monitor)'"],
        environment: rig.desktop.environment), log: file)
  }

  var count: Int {
    TextFile.read(file).split(separator: "\n").filter { $0.contains("Level") }.count
  }
}

/// A microphone whose names no text format likes; one of them has bytes that are no UTF-8.
private enum OddMicrophone {
  static func plug(_ rig: Rig, file: String) throws -> VirtualMicrophone {
    // A player without a name takes that of its program: the shell makes one, which no Swift text
    // could hold. Properties are written in UTF-8 only.
    let script = """
      cd '\(rig.desktop.folder.path)'
      name=$(printf 'odd & "q" <x> \\007 \\377\\376')
      ln -s "$(command -v pw-cat)" "$name"
      exec "./$name" -p --target 0 --latency 1024 -P '{ media.class=Audio/Source \
      node.latency=1024/48000 state.restore-props=false \
      node.description="Tom & \\"J\\" <mic> \\u0007" }' '\(file)'
      """
    return try VirtualMicrophone(
      rig.audio, name: "odd", command: "/bin/sh", arguments: ["-c", script])
  }
}

/// A `vctl` that keeps running, and what it has printed.
final class RunningVctl {
  private let process: RigProcess
  private let file: String

  init(_ stage: Stage, _ arguments: [String]) throws {
    file = stage.rig.desktop.log(arguments.joined(separator: "-"))
    process = try RigProcess(
      ChildCommand(
        path: DaemonUnderTest.productFolder + "/vctl", arguments: arguments,
        environment: stage.rig.desktop.environment), log: file)
  }

  var isRunning: Bool { process.isRunning }

  /// How it ended; `nil` when it does not within so many seconds.
  func wait(_ seconds: Double) -> VoiceIO.ExitStatus? { process.wait(seconds) }

  /// The whole lines so far.
  var lines: [String] {
    let text = TextFile.read(file)
    return text.split(separator: "\n", omittingEmptySubsequences: false).dropLast().map(String.init)
  }

  /// Whether all of it is UTF-8.
  var isText: Bool { String(validating: ProcessFacts.content(of: file), as: UTF8.self) != nil }
}

extension Stage {
  func startVctl(_ arguments: String...) throws -> RunningVctl {
    try RunningVctl(self, arguments)
  }
}
