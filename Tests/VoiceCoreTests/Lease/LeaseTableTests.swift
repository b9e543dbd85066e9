import Testing

@testable import VoiceCore

@Suite struct LeaseTableTests {
  @Test("a client holds 16 leases and 4 private recorders, all together 256 and 32")
  func limits() throws {
    var table = LeaseTable()
    for client in 0..<16 {
      for index in 0..<16 {
        try table.admitLease(path: "/m/\(client)/\(index)", owner: ":\(client)")
      }
    }
    #expect(refusal { try table.admitLease(path: "/m/one", owner: ":0") } == .limitExceeded)
    #expect(refusal { try table.admitLease(path: "/m/one", owner: ":16") } == .limitExceeded)
    table.remove(path: "/m/3/3")
    #expect(refusal { try table.admitLease(path: "/m/one", owner: ":0") } == .limitExceeded)
    try table.admitLease(path: "/m/one", owner: ":16")
    #expect(table.leaseCount == 256)

    for client in 0..<8 {
      for index in 0..<4 {
        try table.admitRecorder(path: "/r/\(client)/\(index)", owner: ":\(client)")
      }
      #expect(
        refusal { try table.admitRecorder(path: "/r/one", owner: ":\(client)") } == .limitExceeded)
    }
    #expect(refusal { try table.admitRecorder(path: "/r/one", owner: ":9") } == .limitExceeded)
    #expect(table.recorderCount == 32)
  }

  @Test("agrees with a plain list through any sequence of opens, closes and departures")
  func model() {
    let seed = UInt64.random(in: 0...UInt64.max)
    var random = SeededRandom(seed: seed)
    var table = LeaseTable()
    var model: [(path: String, owner: String, isLease: Bool)] = []
    for step in 0..<6_000 {
      let owner = ":\(Int.random(in: 0..<30, using: &random))"
      switch Int.random(in: 0..<20, using: &random) {
      case 0:
        // The client leaves the bus.
        let paths = table.paths(of: owner)
        #expect(Set(paths) == Set(model.filter { $0.owner == owner }.map(\.path)), "seed \(seed)")
        for path in paths.shuffled(using: &random) { table.remove(path: path) }
        model.removeAll { $0.owner == owner }
      case 1...6:
        let path = model.randomElement(using: &random)?.path ?? "/none"
        table.remove(path: path)
        table.remove(path: "/unknown")
        model.removeAll { $0.path == path }
      default:
        let isLease = Int.random(in: 0..<4, using: &random) > 0
        let held = model.count { $0.owner == owner && $0.isLease == isLease }
        let all = model.count { $0.isLease == isLease }
        let isFull = held >= (isLease ? 16 : 4) || all >= (isLease ? 256 : 32)
        let path = "/\(step)"
        let failure = refusal {
          isLease
            ? try table.admitLease(path: path, owner: owner)
            : try table.admitRecorder(path: path, owner: owner)
        }
        #expect((failure == .limitExceeded) == isFull, "seed \(seed), step \(step)")
        if failure == nil { model.append((path, owner, isLease)) }
      }
      guard table.leaseCount == model.count(where: \.isLease),
        table.recorderCount == model.count(where: { !$0.isLease })
      else {
        Issue.record("counts differ: seed \(seed), step \(step)")
        return
      }
    }
  }

  @Test("a path belongs to its owner until it is removed")
  func owners() throws {
    var table = LeaseTable()
    try table.admitLease(path: "/m/1", owner: ":1")
    try table.admitRecorder(path: "/r/1", owner: ":2")
    #expect(table.owner(of: "/m/1") == ":1")
    #expect(table.owner(of: "/r/1") == ":2")
    #expect(table.owner(of: "/m/2") == nil)
    table.remove(path: "/m/1")
    table.remove(path: "/m/1")
    #expect(table.owner(of: "/m/1") == nil)
    #expect(table.leaseCount == 0)
  }

  /// The error a call was refused with.
  private func refusal(_ call: () throws -> Void) -> VoicedError? {
    do {
      try call()
      return nil
    } catch {
      return (error as? Refusal)?.error
    }
  }
}

@Suite struct SourceKeyTests {
  @Test("no target and `default` are one microphone, but not one file or seed")
  func normalised() {
    #expect(
      SourceKey(source: "microphone", target: "")
        == SourceKey(source: "microphone", target: "default"))
    #expect(
      SourceKey(source: "speech", target: "") != SourceKey(source: "speech", target: "default"))
    #expect(SourceKey(source: "speech", target: "1") != SourceKey(source: "speech", target: "2"))
  }

  @Test("what is played in another way is another one")
  func playback() throws {
    func key(_ loop: Bool, _ start: Double) throws -> SourceKey {
      SourceKey(source: "file", target: "/a", playback: try Playback(loop: loop, start: start))
    }
    #expect(try key(false, 0) == SourceKey(source: "file", target: "/a"))
    #expect(try key(true, 1.5) == key(true, 1.5))
    #expect(try key(false, -0.0).hashValue == key(false, 0).hashValue)
    #expect(try Set([key(false, 0), key(true, 0), key(false, 1), key(true, 1)]).count == 4)
  }
}

@Suite struct PlaybackTests {
  @Test(
    "is told to plugins in lines, by digits and a point alone",
    arguments: [
      (false, 0, ""), (true, 0, "loop=1\n"), (false, 12.5, "start=12.500000000\n"),
      (true, 3, "loop=1\nstart=3.000000000\n"), (false, 1e-5, "start=0.000010000\n"),
      (false, -0.0, ""),
    ])
  func lines(loop: Bool, start: Double, lines: String) throws {
    #expect(try Playback(loop: loop, start: start).lines == lines)
  }

  @Test("begins at a time", arguments: [Double.nan, .infinity, -.infinity, -1, -1e-9])
  func none(start: Double) {
    #expect(throws: Refusal.self) { try Playback(loop: false, start: start) }
  }
}
