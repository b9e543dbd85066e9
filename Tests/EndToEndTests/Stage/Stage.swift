import Glibc
import VoiceIO
import VoiceTestKit

/// A rig with the daemon running on it and one client: where nearly every situation begins.
final class Stage {
  let rig: Rig
  private(set) var daemon: DaemonUnderTest
  private(set) var client: BusClient
  var recorder: String { Voiced.recorderPath }

  /// Takes are made as WAV at 16 kHz, which is read without the code under test; `prepare` runs
  /// before the daemon starts.
  convenience init(
    _ audio: Rig.Audio = .none, configuration: [String] = [],
    prepare: (Rig) throws -> Void = { _ in }
  ) throws {
    let rig = try Rig(audio)
    try prepare(rig)
    try self.init(rig, configuration: configuration)
  }

  /// `wrapper` are words before the daemon's own, of a program that becomes it.
  init(
    _ rig: Rig, configuration: [String] = [], wrapper: [String] = [],
    environment: [String: String] = [:]
  ) throws {
    self.rig = rig
    try rig.configure(["format = wav16k"] + configuration)
    daemon = try rig.daemon(wrapper: wrapper, environment: environment)
    client = try rig.client()
  }

  /// A stage whose daemon finds a plugin that is made of macros; the source's id is "bad".
  static func withPlugin(_ macros: String...) throws -> Stage {
    let rig = try Rig(.none)
    let folder = try TestPlugin.build(rig, macros)
    return try Stage(rig, environment: ["VOICED_PLUGIN_PATH": folder])
  }

  /// A stage without an audio server, on the source that needs none.
  static func speaking(configuration: [String] = []) throws -> Stage {
    try Stage(.none, configuration: ["source = speech"] + configuration)
  }

  deinit {
    // For somebody who looks for the reason of a failure.
    if getenv("VOICED_TEST_LOG") != nil { print(daemon.log) }
    rig.close()
  }

  /// Starts the daemon again after its end, with a new client.
  func restart() throws {
    daemon.process.wait(6)
    daemon = try rig.daemon()
    client = try rig.client()
  }

  // MARK: Doing

  func use(_ source: String, _ target: String = "") throws {
    try client.set("Source", .string(source))
    try client.set("Target", .string(target))
  }

  /// Calls Start or Press and waits for the first sound of the take.
  @discardableResult
  func begin(
    _ verb: String = "Start", by other: BusClient? = nil, within deadline: Double = 12
  ) throws -> UInt32 {
    let caller = other ?? client
    let take = try caller.verb(verb)
    guard take > 0 else { throw RigFailure("\(verb) began no take") }
    try client.signal("Notice", within: deadline) {
      $0.arguments.first?.text == "started" && $0.take == take
    }
    return take
  }

  /// Sends a take and waits for its recording.
  func send(_ take: UInt32, path: String? = nil) throws -> Recording {
    let answer = try client.verb("Send", path: path ?? recorder)
    guard answer == take else { throw RigFailure("Send answered \(answer), not \(take)") }
    return try recording(take)
  }

  func recording(_ take: UInt32, within deadline: Double = 15) throws -> Recording {
    try Recording(client.ending(take, within: deadline))
  }

  /// A whole hands-free take of about so many seconds.
  func record(_ seconds: Double) throws -> Recording {
    let take = try begin()
    client.listen(seconds)
    return try send(take)
  }

  /// The targets of the microphone: asked again where a busy machine was too slow to tell them.
  func targets() throws -> [[String: BusValue]] {
    for _ in 0..<4 {
      do throws(BusFailure) {
        let answer = try client.manager("GetTargets", [.string("microphone")])
        return (answer.first?.items ?? []).compactMap(\.entries)
      } catch {
        guard error.name.hasSuffix(".SourceUnavailable") else { throw error }
      }
    }
    throw RigFailure("the targets are not told")
  }

  // MARK: Seeing

  var phase: String {
    get throws(BusFailure) { try client.get("CurrentPhase").text ?? "" }
  }

  var linked: String {
    get throws(BusFailure) { try client.get("LinkedTarget").text ?? "" }
  }

  /// Whether the phase is, or becomes, this one.
  func becomes(_ phase: String, within deadline: Double = 10) throws -> Bool {
    try client.wait(deadline) { try self.phase == phase }
  }

  @discardableResult
  func notice(
    _ kind: String, within deadline: Double = 12, since: Double = 0, path: String? = nil
  ) throws -> BusClient.Received {
    try client.signal("Notice", within: deadline, since: since, path: path) {
      $0.arguments.first?.text == kind
    }
  }

  func notices(_ kind: String, path: String? = nil) -> [BusClient.Received] {
    client.received.filter {
      $0.member == "Notice" && $0.arguments.first?.text == kind
        && (path ?? $0.signal.path) == $0.signal.path
    }
  }

  /// Levels told to the client since a time.
  func levels(of path: String = Voiced.recorderPath, since: Double = 0) -> [Double] {
    client.received.filter {
      $0.member == "Level" && $0.time >= since && $0.signal.path == path
    }.compactMap { $0.arguments.first?.number }
  }

  /// Whether a lease's level rises above a floor from now on.
  func hears(_ lease: String, within deadline: Double = 12, floor: Double = 0.2) -> Bool {
    let since = BusClient.now
    return client.wait(deadline) {
      levels(of: lease, since: since).contains { $0 > floor }
    }
  }

  /// The daemon and all that it has started.
  var family: [Int32] { [daemon.pid] + daemon.children.map(\.pid) }

  /// Nodes in the audio server that are ours.
  func nodes() throws -> [PrivateAudio.Entry] { try rig.audio.nodes(of: family) }

  /// Whether neither a child nor a node of ours is left, or remains within the deadline.
  func isAtRest(within deadline: Double = 12) throws -> Bool {
    guard daemon.isAtRest(within: deadline) else { return false }
    guard let audio = try? rig.audio, audio.pipewire != nil else { return true }
    return try waitUntil(2) { try nodes().isEmpty }
  }

  /// Sound files in the daemon's folders, by the name of the folder.
  func files(in folder: String) -> [String] {
    soundFiles(in: rig.desktop.state + "/voiced/" + folder)
  }

  /// Every ending a take had.
  func endings(of take: UInt32) -> [BusClient.Received] {
    client.received.filter { $0.isEnding && $0.take == take }
  }
}

extension BusClient.Received {
  var isEnding: Bool { member == "Finished" || member == "Discarded" }

  /// The take that a signal is about.
  var take: UInt32? {
    switch member {
    case "Finished", "Discarded": arguments.first?.whole.flatMap { UInt32(exactly: $0) }
    case "Phase": arguments.last?.whole.flatMap { UInt32(exactly: $0) }
    case "Notice": arguments.last?.entries?["take"]?.whole.flatMap { UInt32(exactly: $0) }
    default: nil
    }
  }

  /// How a take ended, of Finished and of Discarded.
  var ending: String? {
    member == "Discarded" ? arguments[1].text : arguments.last?.entries?["ending"]?.text
  }

  /// What the details say beside the error.
  var reason: String? { arguments.last?.entries?["reason"]?.text }

  /// The error in the details, without what all have in front.
  var error: String? {
    arguments.last?.entries?["error"]?.text?.split(separator: ".").last.map(String.init)
  }
}

extension BusClient {
  /// The last part of the name of the error that a call gives; `nil` when it gives none.
  func error(_ call: (BusClient) throws -> Void) -> String? {
    do {
      try call(self)
      return nil
    } catch let failure as BusFailure {
      return failure.name.split(separator: ".").last.map(String.init) ?? ""
    } catch { return "\(error)" }
  }
}

/// Names of the plain files in a folder; empty when there is none.
func soundFiles(in folder: String) -> [String] {
  guard let stream = opendir(folder) else { return [] }
  defer { closedir(stream) }
  var names: [String] = []
  while let entry = readdir(stream) {
    let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
      String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
    }
    if !name.hasPrefix("."), !name.hasSuffix(".info") { names.append(folder + "/" + name) }
  }
  return names.sorted()
}
