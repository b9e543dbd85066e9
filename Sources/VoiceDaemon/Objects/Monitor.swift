import VoiceCore
import VoiceIO

/// A lease: a client's claim on a live level without recording; signals go to its owner alone.
final class Monitor: SourceListener, BusObject {
  let path: String
  var owner: String? { client.name }
  let client: ClientName
  let application: String
  let reason: String
  let rate: Int
  let source: PluginSource
  let target: String
  private let playback: Playback
  var isTake: Bool { false }
  var interface: InterfaceDescription { .monitor }
  private(set) var run: SourceRun?

  private let services: Services
  private let pulse: OwnerPulse
  private var pace: LevelPace
  private var verdicts = VerdictMeter()
  private var heardSince: UInt64?
  private var isToldSilent = false
  private var toldVerdict = Verdict.none
  private var starting: ((Refusal?) -> Void)?
  private var startTimer: LoopTimer?
  private let onClose: (Monitor) -> Void

  /// What a client asked for with `OpenMonitor`.
  struct Request {
    var source = "microphone"
    var target = ""
    var playback = Playback.whole
    var rate: UInt32 = 30
    var application = ""
    var reason = ""
  }

  init(
    path: String, client: ClientName, source: PluginSource, request: Request, pulse: OwnerPulse,
    services: Services, onClose: @escaping (Monitor) -> Void
  ) {
    self.path = path
    self.client = client
    self.source = source
    self.target = request.target
    playback = request.playback
    self.rate = Int(request.rate)
    self.application = request.application
    self.reason = request.reason
    self.pulse = pulse
    self.services = services
    self.onClose = onClose
    // Finer than the broadcast: who holds a lease draws with it.
    pace = LevelPace(rate: Int(request.rate), steps: 1000, includesPeak: true)
  }

  func open() throws {
    run = try services.pool.join(self, source: source, target: target, playback: playback)
  }

  /// Seconds that a source which plays a file has to say whether it can.
  private static let startPatience = 3.0

  /// Runs `then` once sound has come, the source has failed, or neither in time.
  func whenStarted(then: @escaping (Refusal?) -> Void) {
    starting = then
    startTimer = services.loop.timer { [weak self] in self?.started(nil) }
    startTimer?.start(after: Self.startPatience)
  }

  private func started(_ refusal: Refusal?) {
    startTimer?.cancel()
    startTimer = nil
    starting?(refusal)
    starting = nil
  }

  /// Ends the lease and tells its owner why.
  func close(_ reason: String) {
    started(nil)
    guard let run else { return }
    self.run = nil
    services.pool.leave(self, run)
    emit("Closed", [.string(reason)])
    onClose(self)
  }

  // MARK: What the source tells

  func heard(_ heard: HeardReading, at now: UInt64) {
    if heard.hasFrames { started(nil) }
    judge(heard, at: now)
    guard pulse.isAwake else { return }
    guard
      let message = pace.add(
        level: heard.level, loudness: heard.reading.loudness, rise: heard.isRise, at: now)
    else { return }
    pulse.beat()
    emit("Level", [.double(message.level), .double(message.peak)], droppable: true)
  }

  func ticked(written: UInt64, at now: UInt64) {}

  func linked(to target: String?) { markChanged(["LinkedTarget": linkedTarget]) }
  func lost() {
    heardSince = nil
    tellNotice(.sourceLost)
  }
  func back() { tellNotice(.sourceBack) }

  func failed(_ why: Refusal) {
    started(why)
    services.loop.later { [weak self] in self?.close("source-ended") }
  }

  func ended() {
    services.loop.later { [weak self] in self?.close("source-ended") }
  }

  /// Names silence once it has lasted 2 s, and again only after sound.
  private func judge(_ heard: HeardReading, at now: UInt64) {
    guard heard.hasFrames, !source.flags.contains(.levelsOnly) else { return }
    verdicts.add(peak: heard.reading.peak, at: now)
    let since = heardSince ?? now
    heardSince = since
    let verdict = verdicts.verdict(at: now)
    // That nothing is there shows only after a while.
    guard verdict != .none || now > since + 2_000_000_000 else { return }
    if verdict != toldVerdict {
      toldVerdict = verdict
      markChanged(["Verdict": .string(verdict.rawValue)])
    }
    if verdict == .none, !isToldSilent {
      tellNotice(.silent, ["verdict": .string(verdict.rawValue)])
    }
    isToldSilent = verdict == .none
  }

  // MARK: The object

  func invoke(_ call: BusCall, by client: ClientName) {
    call.reply([])
    close("closed")
  }

  func value(of property: String) -> BusValue {
    switch property {
    case "Source": .string(source.id)
    case "Target": .string(target)
    case "LinkedTarget": linkedTarget
    case "Verdict": .string(toldVerdict.rawValue)
    default: .uint32(UInt32(rate))
    }
  }

  func set(
    _ property: String, to value: BusValue, by client: ClientName
  ) throws(Refusal) {}

  private var linkedTarget: BusValue { .string(run?.linked ?? "") }

  private func tellNotice(_ kind: NoticeKind, _ details: [String: BusValue] = [:]) {
    emit("Notice", [.string(kind.rawValue), .dictionary(details)])
  }

  private func markChanged(_ values: [String: BusValue]) {
    services.bus.emit(
      path: path, interface: WireNames.properties, member: "PropertiesChanged",
      [.string(WireNames.monitor), .dictionary(values), .strings([])], to: client.name)
  }

  private func emit(_ member: String, _ arguments: [BusValue], droppable: Bool = false) {
    services.bus.emit(
      path: path, interface: WireNames.monitor, member: member, arguments, to: client.name,
      droppable: droppable)
  }
}
