import CLinux
import Glibc
import Testing
import VoiceIO
import VoiceTestKit

@Suite("Bus calls")
struct BusTests {
  let daemon: PrivateBus
  let loop: EventLoop
  let server: Bus
  let client: Bus

  init() throws {
    daemon = try PrivateBus()
    loop = try EventLoop()
    server = try Bus(loop: loop, address: .other(daemon.address))
    client = try Bus(loop: loop, address: .other(daemon.address))
  }

  /// Calls the server from the client and waits.
  private func ask(
    _ member: String = "Echo", _ arguments: [BusValue] = [], timeout: Double = 5
  ) throws -> Result<[BusValue], BusFailure> {
    var answer: Result<[BusValue], BusFailure>?
    client.call(
      destination: server.uniqueName, path: "/x", interface: "a.b", member: member, arguments,
      timeout: timeout
    ) { answer = $0 }
    #expect(loop.turn(within: 10) { answer != nil })
    return try #require(answer)
  }

  @Test("every kind of value arrives as it was sent")
  func values() throws {
    var heard: [String] = []
    server.onCall = { call in
      heard = [call.path, call.interface ?? "", call.member, call.sender, call.signature]
      call.reply(call.arguments)
    }
    let values: [BusValue] = [
      .byte(255), .boolean(true), .int16(-3), .uint16(65_535), .int32(.min), .uint32(.max),
      .int64(.min), .uint64(.max), .double(-0.1), .string("zwölf 🎙"), .path("/a/b_1"),
      .signature("a{sv}"), .strings([]), .strings(["", "b"]), .doubles([0, .infinity]),
      .dictionary([:]),
      .dictionary(["a": .doubles([1]), "b": .dictionary(["c": .variant(.byte(1))])]),
      .dictionaries([["x": .string("y")], [:]]),
      .array(of: "{ss}", [.structure([.string("k"), .string("v")])]), .array(of: "{su}", []),
      .array(of: "aas", [.array(of: "as", [.strings(["deep"])])]),
      .structure([.byte(1), .structure([.string("in")])]), .variant(.variant(.int32(1))),
    ]
    #expect(try ask("Echo", values).get() == values)
    #expect(
      heard == [
        "/x", "a.b", "Echo", client.uniqueName, values.map(\.signature).joined(),
      ])
  }

  @Test("errors keep their name and text; a call let go is answered too")
  func errors() throws {
    server.onCall = { call in
      switch call.member {
      case "Fail":
        call.fail("org.voiced.Voiced1.Error.NoSuchTake", "there is no take 7")
        call.reply([.string("too late")])
      case "BadName": call.fail("not a name", "still told")
      default: break
      }
    }
    #expect(
      try ask("Fail")
        == .failure(
          BusFailure(
            name: "org.voiced.Voiced1.Error.NoSuchTake", text: "there is no take 7")))
    #expect(
      try ask("BadName")
        == .failure(
          BusFailure(
            name: "org.freedesktop.DBus.Error.Failed", text: "still told")))
    #expect(
      try ask("Forgotten")
        == .failure(
          BusFailure(
            name: "org.freedesktop.DBus.Error.Failed", text: "Forgotten was not answered")))
    #expect(server.refusedMessages == 1)
  }

  @Test("a call may be answered later, and times out when it is not")
  func late() throws {
    var kept: [BusCall] = []
    server.onCall = { kept.append($0) }
    let start = EventLoop.now
    guard case .failure(let failure) = try ask("Slow", timeout: 0.1) else {
      Issue.record("it was answered")
      return
    }
    #expect(failure.name == "org.freedesktop.DBus.Error.NoReply")
    #expect(EventLoop.now - start < 1_000_000_000)
    var answer: Result<[BusValue], BusFailure>?
    client.call(
      destination: server.uniqueName, path: "/x", interface: "a.b", member: "Later"
    ) { answer = $0 }
    #expect(loop.turn(within: 5) { kept.count == 2 })
    kept.last?.reply([.uint32(7)])
    #expect(loop.turn(within: 5) { answer != nil })
    #expect(try answer?.get() == [.uint32(7)])
  }

  @Test("a call to nobody fails by name")
  func nobody() throws {
    var answer: Result<[BusValue], BusFailure>?
    client.call(
      destination: "org.voiced.Nobody", path: "/", interface: "a.b", member: "X"
    ) { answer = $0 }
    #expect(loop.turn(within: 5) { answer != nil })
    guard case .failure(let failure) = answer else {
      Issue.record("somebody answered")
      return
    }
    #expect(failure.name == "org.freedesktop.DBus.Error.ServiceUnknown")
  }

  @Test("a waiting call leaves what else comes in to the loop")
  func waiting() throws {
    var heard = 0
    client.subscribe(sender: nil, path: "/s", interface: nil, member: nil) { _ in heard += 1 }
    let owner = try client.callAndWait(
      destination: "org.freedesktop.DBus", path: "/", interface: "org.freedesktop.DBus",
      member: "GetNameOwner", [.string("org.freedesktop.DBus")], timeout: 5)
    #expect(owner == [.string("org.freedesktop.DBus")])
    server.emit(path: "/s", interface: "a.b", member: "S")
    server.flush(atMost: 2)
    _ = try client.callAndWait(
      destination: "org.freedesktop.DBus", path: "/", interface: "org.freedesktop.DBus",
      member: "GetId", timeout: 5)
    #expect(heard == 0)
    #expect(loop.turn(within: 5) { heard == 1 })
    let failure = #expect(throws: BusFailure.self) {
      try client.callAndWait(
        destination: "org.freedesktop.DBus", path: "/", interface: "org.freedesktop.DBus",
        member: "GetNameOwner", [.string("org.voiced.Nobody")], timeout: 5)
    }
    #expect(failure?.name == "org.freedesktop.DBus.Error.NameHasNoOwner")
  }

  @Test("a name that is taken is an error that says so")
  func name() throws {
    try server.requestName("org.voiced.Test")
    try server.requestName("org.voiced.Test")
    let failure = #expect(throws: BusFailure.self) { try client.requestName("org.voiced.Test") }
    #expect(failure?.text == "another program has the name org.voiced.Test on this bus")
    #expect(throws: BusFailure.self) { try client.requestName("no name") }
  }

  @Test("what libdbus would abort for is refused and counted, and the process lives")
  func refused() throws {
    let bad: [BusValue] = [
      .path("no path"), .path(""), .signature("(("), .descriptor(-1), .descriptor(9999),
      .structure([]), .array(of: "s", [.uint32(1)]), .array(of: "ss", []), .array(of: "", []),
      .array(of: "{vs}", []), .variant(.array(of: "?", [])), .dictionary(["a": .path("x")]),
      .array(of: "{ss}", [.structure([.string("a")])]),
    ]
    for value in bad {
      #expect(!server.emit(path: "/x", interface: "a.b", member: "S", [value]), "\(value)")
    }
    #expect(!server.emit(path: "x", interface: "a.b", member: "S"))
    #expect(!server.emit(path: "/x", interface: "ab", member: "S"))
    #expect(!server.emit(path: "/x", interface: "a.b", member: "S S"))
    #expect(!server.emit(path: "/x", interface: "a.b", member: "S", to: "nobody"))
    #expect(server.refusedMessages == bad.count + 4)
    server.onCall = { $0.reply([.path("bad")]) }
    #expect(
      try ask()
        == .failure(
          BusFailure(
            name: "org.freedesktop.DBus.Error.Failed", text: "the result cannot be sent")))
    var told: Result<[BusValue], BusFailure>?
    client.call(destination: "!", path: "/", interface: "a.b", member: "X") { told = $0 }
    #expect(loop.turn(within: 2) { told != nil })
    #expect(client.isConnected && server.isConnected)
  }

  @Test("text is cut at a zero byte, which the bus cannot carry")
  func zero() throws {
    server.onCall = { $0.reply($0.arguments) }
    #expect(try ask("Echo", [.string("a\0b")]).get() == [.string("a")])
  }

  @Test("a call's strings are cut where the receiver says, and eight of that length are the most")
  func longTexts() throws {
    server.longestText = 100
    server.onCall = { $0.reply($0.arguments) }
    let long = BusValue.string(String(repeating: "x", count: 1_000_000))
    let cut = BusValue.string(String(repeating: "x", count: 100))
    #expect(try ask("Echo", [long, .string("short")]).get() == [cut, .string("short")])
    let eight = [BusValue](repeating: cut, count: 8)
    #expect(try ask("Echo", eight).get() == eight)
    guard case .failure(let failure) = try ask("Echo", eight + [long]) else {
      Issue.record("nine were taken")
      return
    }
    #expect(failure.name == "org.freedesktop.DBus.Error.LimitsExceeded")
  }

  @Test("a descriptor arrives, and is closed when the call is let go")
  func descriptors() throws {
    let pipe = try Pipe()
    server.onCall = { call in
      if case .descriptor(let writer) = call.arguments.first { write(writer, "hello", 5) }
      call.reply()
    }
    #expect(try ask("Give", [.descriptor(pipe.writer)]).get() == [])
    pipe.closeWriter()
    #expect(pipe.read() == "hello")
    #expect(waitUntil(2) { pipe.read() == "" })
  }

  @Test("a reply can carry a descriptor")
  func descriptorBack() throws {
    let pipe = try Pipe()
    server.onCall = { $0.reply([.path("/o"), .descriptor(pipe.reader)]) }
    let values = try ask("Open").get()
    guard case .descriptor(let reader) = values.last else {
      Issue.record("no descriptor came")
      return
    }
    defer { close(reader) }
    #expect(fcntl(reader, F_GETFD) & FD_CLOEXEC != 0)
    pipe.write("x")
    var byte: UInt8 = 0
    #expect(read(reader, &byte, 1) == 1)
  }

  @Test("a message beyond what is usual is answered, and the connection lives")
  func large() throws {
    server.onCall = { $0.reply([.uint32(UInt32($0.arguments.first?.text?.utf8.count ?? 0))]) }
    let size = 6 * 1024 * 1024
    #expect(
      try ask("Long", [.string(String(repeating: "x", count: size))]).get()
        == [.uint32(UInt32(size))])
    var deep = BusValue.byte(1)
    for _ in 0..<20 { deep = .variant(deep) }
    let many = BusValue.array(of: "y", Array(repeating: .byte(0), count: 70_000))
    let pipes = try (0..<16).map { _ in try Pipe() }
    for arguments in [[deep], [many], [deep] + pipes.map { .descriptor($0.reader) }] {
      guard case .failure(let failure) = try ask("Odd", arguments) else {
        Issue.record("it was taken")
        return
      }
      #expect(failure.name == "org.freedesktop.DBus.Error.LimitsExceeded")
    }
    #expect(try ask("Short", [.string("x")]).get() == [.uint32(1)])
  }

  @Test("a flood of calls is answered call by call and starves no timer")
  func flood() throws {
    var ticks = 0
    var answers = 0
    let timer = loop.timer { ticks += 1 }
    server.onCall = { $0.reply() }
    for _ in 0..<1000 {
      client.call(
        destination: server.uniqueName, path: "/x", interface: "a.b", member: "X",
        [.string(String(repeating: "x", count: 10_000))], timeout: 60
      ) { _ in answers += 1 }
    }
    timer.repeat(every: 0.002)
    #expect(loop.turn(within: 30) { answers == 1000 })
    #expect(ticks > 2)
  }

  @Test("a connection may be let go in its own handler, with a call that waits")
  func letGo() throws {
    var mine: Bus? = try Bus(loop: loop, address: .other(daemon.address))
    let name = try #require(mine?.uniqueName)
    mine?.call(destination: server.uniqueName, path: "/", interface: "a.b", member: "X") { _ in
      Issue.record("a call of a connection that was let go is answered")
    }
    server.onCall = { _ in mine = nil }
    mine?.onCall = { _ in mine = nil }
    var answer: Result<[BusValue], BusFailure>?
    client.call(destination: name, path: "/", interface: "a.b", member: "X") { answer = $0 }
    #expect(loop.turn(within: 5) { answer != nil })
    guard case .failure = answer else {
      Issue.record("nobody is there to answer")
      return
    }
    #expect(mine == nil)
  }

  @Test("a bus nobody talks on wakes nobody")
  func idle() throws {
    server.onCall = { $0.reply() }
    _ = try ask().get()
    #expect(loop.rounds(in: 0.3) <= 1)
  }
}
