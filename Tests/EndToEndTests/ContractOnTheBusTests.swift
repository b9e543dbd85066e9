import Glibc
import Testing
import VoiceCore
import VoiceIO
import VoiceTestKit

/// The wire contract as a running daemon keeps it.
@Suite("The contract on the bus", .lane)
struct ContractOnTheBusTests {
  @Test("live introspection is the installed XML")
  func introspection() throws {
    let stage = try Stage.speaking()
    let lease = try stage.client.openMonitor(["source": .string("speech")])
    let made = try stage.client.manager("CreateRecorder", [.dictionary([:])])
    let folder = #filePath.split(separator: "/").dropLast(3).map { "/" + $0 }.joined()
    for (path, name) in [
      (Voiced.path, Voiced.manager), (Voiced.recorderPath, Voiced.recorder),
      (lease, Voiced.monitor), (made.first?.text ?? "", Voiced.recorder),
    ] {
      let xml = try stage.client.call(path, "org.freedesktop.DBus.Introspectable", "Introspect")
      let live = InterfaceScanner.interfaces(in: Array((xml.first?.text ?? "").utf8))
      let file = ProcessFacts.content(of: "\(folder)/data/dbus-1/interfaces/\(name).xml")
      let installed = try #require(InterfaceScanner.interfaces(in: file).first, "\(name)")
      #expect(live.first { $0.name == name } == installed, "\(path)")
      let values = try stage.client.getAll(of: name, path: path)
      #expect(Set(values.keys) == Set(installed.properties.map(\.name)))
      for property in installed.properties {
        #expect(values[property.name]?.signature == property.type, "\(name).\(property.name)")
      }
    }
  }

  @Test("unknown objects, interfaces, methods, properties and wrong signatures: standard errors")
  func standardErrors() throws {
    let stage = try Stage.speaking()
    let (recorder, path) = (Voiced.recorder, Voiced.recorderPath)
    let cases: [(String, (BusClient) throws -> Void)] = [
      ("UnknownObject", { _ = try $0.call(path + "/none", recorder, "Start") }),
      ("UnknownInterface", { _ = try $0.call(path, Voiced.name + ".None", "Start") }),
      ("UnknownMethod", { _ = try $0.call(path, recorder, "Stop") }),
      ("UnknownProperty", { _ = try $0.get("Nothing") }),
      ("PropertyReadOnly", { try $0.set("CurrentPhase", .string("locked")) }),
      ("InvalidArgs", { _ = try $0.call(path, recorder, "Start", [.string("now")]) }),
      ("InvalidArgs", { _ = try $0.call(path, recorder, "GetPeaks", [.string("0")]) }),
    ]
    for (name, call) in cases { #expect(stage.client.error(call) == name) }
    #expect(try stage.phase == "idle")
  }

  @Test("a bad argument is an error with a name and a sentence, and nothing else happens")
  func badInput() throws {
    let stage = try Stage.speaking()
    let before = try stage.client.getAll()
    func expect(
      _ name: String, _ call: (BusClient) throws -> Void, _ place: SourceLocation = #_sourceLocation
    ) {
      do {
        try call(stage.client)
        Issue.record("accepted", sourceLocation: place)
      } catch let failure as BusFailure {
        #expect(failure.name == Voiced.name + ".Error." + name, sourceLocation: place)
        #expect(failure.text.split(separator: " ").count > 3, sourceLocation: place)
      } catch { Issue.record(error, sourceLocation: place) }
    }
    for property in ["MinimumDuration", "MaximumDuration", "AutoStop"] {
      for value in [Double.nan, .infinity, -.infinity, -1, -0.001] {
        expect("InvalidValue") { try $0.set(property, .double(value)) }
      }
    }
    expect("InvalidValue") { try $0.set("MaximumDuration", .double(0.5)) }
    expect("InvalidValue") { try $0.set("MinimumDuration", .double(301)) }
    expect("InvalidValue") { try $0.set("Format", .string("mp9")) }
    expect("InvalidValue") { try $0.set("Format", .uint32(1)) }
    expect("NoSuchSource") { try $0.set("Source", .string("none")) }
    expect("InvalidValue") { try $0.set("Target", .string(String(repeating: "x", count: 5000))) }
    let options: [[String: BusValue]] = [
      ["colour": .string("red")], ["source": .uint32(7)], ["maximum": .double(.nan)],
      ["format": .string("")], ["waveforms": .strings(["none"])], ["hold": .string("yes")],
      ["start": .double(-1)], ["loop": .string("yes")],
    ]
    for option in options {
      expect("InvalidValue") {
        _ = try $0.call(Voiced.recorderPath, Voiced.recorder, "Begin", [.dictionary(option)])
      }
    }
    expect("NoSuchSource") { _ = try $0.openMonitor(["source": .string("none")]) }
    for rate in [UInt32(0), 61, .max] {
      expect("InvalidValue") {
        _ = try $0.openMonitor(["source": .string("speech"), "rate": .uint32(rate)])
      }
    }
    expect("InvalidValue") {
      try $0.manager("CreateRecorder", [.dictionary(["CurrentPhase": .string("locked")])])
    }
    expect("NoSuchSource") {
      try $0.manager("CreateRecorder", [.dictionary(["Source": .string("none")])])
    }
    expect("NoSuchSource") { try $0.manager("GetTargets", [.string("none")]) }
    expect("NoSuchTake") { try $0.manager("OpenTake", [.uint32(999)]) }
    expect("NoSuchTake") { try $0.manager("RecoverTake", [.uint32(999), .string("")]) }
    expect("NoSuchTake") { try $0.manager("ForgetTake", [.uint32(999)]) }
    #expect(try stage.client.getAll() == before)
    #expect(!stage.client.received.contains { $0.member == "Phase" })
    #expect(try stage.isAtRest())
  }

  /// What each verb does in each phase: the phase it leads to, or how the take ends.
  private static let table: [(phase: String, row: [String: String])] = [
    ("idle", ["Start": "locked", "Press": "holding"]),
    ("holding", ["Lock": "locked", "Release": "sent", "Send": "sent", "Cancel": "cancelled"]),
    ("locked", ["Send": "sent", "Cancel": "cancelled"]),
    ("stopped", ["Send": "sent", "Cancel": "cancelled"]),
  ]

  @Test("every verb in every phase", arguments: ["idle", "holding", "locked", "stopped"])
  func stateTable(phase: String) throws {
    let stage = try Stage.speaking(configuration: ["minimum = 0"])
    let row = try #require(Self.table.first { $0.phase == phase }?.row)
    for verb in ["Start", "Press", "Release", "Lock", "Send", "Cancel"] {
      if try stage.phase != "idle" { try stage.client.verb("Cancel") }
      let take = try stage.reach(phase)
      let answer = try stage.client.verb(verb)
      switch row[verb] {
      case nil:
        #expect(answer == 0, "\(verb)")
        #expect(try stage.phase == phase, "\(verb)")
      case let next? where next == "locked" || next == "holding":
        #expect(phase == "idle" ? answer > 0 : answer == take, "\(verb)")
        #expect(try stage.phase == next, "\(verb)")
      case let ending?:
        #expect(answer == take, "\(verb)")
        #expect(try stage.client.ending(take).ending == ending, "\(verb)")
        #expect(try stage.phase == "idle", "\(verb)")
      }
    }
    if try stage.phase != "idle" { try stage.client.verb("Cancel") }
    try stage.expectOrderlyTakes()
  }
}

extension Stage {
  /// Begins a take and brings it into a phase; 0 for idle.
  fileprivate func reach(_ phase: String) throws -> UInt32 {
    switch phase {
    case "idle": return 0
    case "holding": return try begin("Press")
    case "locked": return try begin("Start")
    default:
      // A view that leaves stops the take it began.
      let view = try rig.client()
      _ = try view.call(recorder, Voiced.recorder, "Attach")
      let take = try begin(by: view)
      _ = try view.call(recorder, Voiced.recorder, "Detach")
      guard try becomes("stopped") else { throw RigFailure("not stopped") }
      return take
    }
  }
}
