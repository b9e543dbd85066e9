import VoiceAudio
import VoiceCore
import VoiceIO

/// One session on the bus: performs what its state machine decides.
///
/// The shared session broadcasts; a private one speaks to its owner alone.
final class Recorder {
  let path: String
  /// The owner of a private session; `nil` for the shared one.
  let owner: String?
  /// The session's properties, from which each take's settings are made.
  var defaults: TakeSettings
  /// The level of the running take, frozen while stopped, 0 at rest.
  private(set) var level = 0.0
  /// Told when the listeners of sources changed.
  var onListeners: (() -> Void)?
  /// Told when the kept takes changed by an interruption.
  var onAside: ((KeptTake) -> Void)?

  let services: Services
  private var machine: SessionMachine
  private var active: [UInt32: ActiveTake] = [:]
  private var views: Set<String> = []
  /// The last views that left the bus, by names that are never given again.
  private var leftViews: [String] = []
  /// Enough for those whose calls may still wait: that is a matter of seconds.
  private static let leftViewLimit = 64
  private var pace = LevelPace(rate: 30, steps: 100)
  private var graceTimer: LoopTimer?
  /// Whether the owner of a private session still reads its levels.
  private let pulse: OwnerPulse?
  private var changed: Set<String> = []
  /// The values that PropertiesChanged told last, so that only real changes are told.
  private var told: [String: BusValue] = [
    "CurrentPhase": .string(Phase.idle.rawValue), "CurrentTake": .uint32(0),
    "LinkedTarget": .string(""),
  ]
  private var linkedTarget = ""
  private var pausesMedia = false

  init(path: String, owner: String?, services: Services) {
    self.path = path
    self.owner = owner
    self.services = services
    pulse = owner.map { OwnerPulse(owner: $0, bus: services.bus, loop: services.loop) }
    let configuration = services.configuration
    defaults = TakeSettings(configuration)
    machine = SessionMachine(releaseGrace: configuration.releaseGrace)
    graceTimer = services.loop.timer { [weak self] in _ = self?.handle(.wake) }
  }

  var phase: Phase { machine.phase }
  var take: UInt32 { machine.take }
  func elapsed(at now: UInt64) -> Double { machine.elapsed(at: now) }
  /// Whether every take's process has ended.
  var isQuiet: Bool { active.isEmpty }
  /// Whether every take's sound is on the disk.
  var isClosed: Bool { active.values.allSatisfy(\.isClosed) }
  /// The peaks of the running or stopped take.
  var peaks: [Float] { active[machine.take]?.peaks.all ?? [] }
  /// What the running take is really linked to, "" at rest and while the source is lost.
  var linked: String { linkedTarget }
  /// The takes that make a source run now.
  var listening: [ActiveTake] { active.values.filter { $0.run != nil } }

  // MARK: Verbs

  /// Begins a take for a caller unless one runs; answers its number, or 0.
  func begin(
    held: Bool, settings: TakeSettings, source: PluginSource, caller: ClientName
  ) -> UInt32 {
    // A view that has left the bus meanwhile could not end what it asked for.
    guard !leftViews.contains(caller.name) else { return 0 }
    // A number is given only to a take that begins; a joined release grace needs none.
    let number = phase == .idle ? services.counter.next() : 0
    if phase == .idle { services.library.expire() }
    pending = (source, caller)
    return handle(
      .begin(
        take: number, held: held, settings: settings, caller: caller.name))
  }

  private var pending: (source: PluginSource, caller: ClientName)?

  /// Answers a Press that joins the hold it follows within the release grace, or 0.
  func join(held: Bool) -> UInt32 {
    handle(.begin(take: 0, held: held, settings: defaults, caller: nil))
  }

  func attach(_ client: String) {
    guard views.insert(client).inserted else { return }
    services.watches.watch(client, for: path + viewKey) { [weak self] in
      guard let self else { return }
      leftViews = leftViews.suffix(Self.leftViewLimit - 1) + [client]
      detach(client)
    }
  }

  func detach(_ client: String) {
    guard views.remove(client) != nil else { return }
    services.watches.forget(client, for: path + viewKey)
    handle(.viewGone(client))
  }

  /// Interrupts what runs and keeps what is stopped: the session ends, by its owner or the daemon.
  func close() {
    handle(.closed)
    for view in views { services.watches.forget(view, for: path + viewKey) }
    views = []
  }

  /// Whether the running take's source hears the user.
  var hearsTheUser: Bool {
    phase.isRecording && active[take]?.source?.flags.contains(.hearsTheUser) == true
  }

  /// Hands an event to the machine and performs what follows; returns a verb's answer.
  @discardableResult
  func handle(_ event: SessionEvent) -> UInt32 {
    let now = EventLoop.now
    var answer: UInt32 = 0
    for effect in machine.handle(event, at: now) {
      if case .answer(let take) = effect { answer = take } else { perform(effect) }
    }
    return answer
  }

  /// As `handle`, when the event still concerns the running take.
  func handle(_ event: SessionEvent, take: UInt32) {
    if machine.take == take { handle(event) }
  }

  private func perform(_ effect: SessionEffect) {
    switch effect {
    case .answer: break
    case .tellPhase(let phase, let take): tellPhase(phase, take: take)
    case .tellElapsed(let seconds, let remaining):
      emit("Elapsed", [.uint32(seconds), .int32(remaining.map { Int32(clamping: $0) } ?? -1)])
    case .tellNotice(let kind, let take, let error):
      var details: [String: BusValue] = ["take": .uint32(take)]
      if let error { details["error"] = .string(error.fullName) }
      tellNotice(kind, details)
    case .tellFinished(let finished, let facts): tellFinished(finished, facts)
    case .tellDiscarded(let take, let ending, let error):
      var details: [String: BusValue] = [:]
      if let error {
        details["error"] = .string(error.fullName)
        if let why = active[take]?.why, why.error == error, !why.detail.isEmpty {
          details["reason"] = .string(why.detail)
        }
      }
      emit("Discarded", [.uint32(take), .string(ending.rawValue), .dictionary(details)])
    case .open(let take, let settings): open(take, settings)
    case .record(let take, let frame): active[take]?.record(from: frame)
    case .close(let take, let cut):
      active[take]?.close(cut)
      releaseMedia()
    case .keep(let take): active[take]?.keep()
    case .setAside(let take): active[take]?.setAside()
    case .drop(let take): active[take]?.drop()
    case .wake(let time): graceTimer?.start(at: time)
    }
  }

  private func open(_ number: UInt32, _ settings: TakeSettings) {
    guard let (source, caller) = pending else { return }
    pending = nil
    let take = ActiveTake(
      number: number, settings: settings, client: caller, recorder: self, services: services)
    active[number] = take
    services.library.running.insert(number)
    level = 0
    pace.reset()
    if settings.pauseMedia {
      pausesMedia = true
      services.media.begin()
    }
    take.open(source: source)
    linkedMayHaveChanged()
  }

  private func releaseMedia() {
    guard pausesMedia else { return }
    pausesMedia = false
    services.media.end()
  }

  // MARK: What takes tell

  func heard(_ heard: HeardReading, take: UInt32, at now: UInt64) {
    guard machine.take == take, phase.isRecording else { return }
    level = heard.level
    guard pulse?.isAwake != false else { return }
    guard
      let message = pace.add(
        level: heard.level, loudness: heard.reading.loudness, rise: heard.isRise, at: now)
    else { return }
    pulse?.beat()
    emit(
      "Level", [.double(message.level), .double(machine.elapsed(at: now))], droppable: true)
  }

  func linkedMayHaveChanged() {
    let now = active[machine.take]?.run?.linked ?? ""
    let linked = phase.isRecording ? now : ""
    onListeners?()
    guard linked != linkedTarget else { return }
    linkedTarget = linked
    mark("LinkedTarget")
  }

  /// The sound of an interrupted take is in the recovery area.
  func keptAside(_ take: ActiveTake, _ facts: RecordingFacts) {
    guard facts.duration > 0 else { return }
    let kept = KeptTake(
      take: take.number, state: .interrupted, facts: facts,
      circumstances: circumstances(
        of: take, ending: .interrupted, elapsed: facts.duration, facts))
    services.library.add(kept)
    onAside?(kept)
  }

  /// A take's process has ended; what it has not answered is put right.
  func ended(_ take: ActiveTake) {
    active[take.number] = nil
    services.library.running.remove(take.number)
    handle(.fileFailed(take: take.number, .sourceFailed))
    if take.isDropped {
      services.library.discard(take: take.number)
    } else if var kept = services.library.rescue(take: take.number, as: .interrupted) {
      kept.circumstances = circumstances(
        of: take, ending: .interrupted, elapsed: kept.facts.duration, kept.facts)
      services.library.add(kept)
      onAside?(kept)
    }
    onListeners?()
  }

  private func tellFinished(_ finished: FinishedTake, _ facts: RecordingFacts) {
    guard let take = active[finished.take] else { return }
    let kept = KeptTake(
      take: finished.take, state: .finished, facts: facts,
      circumstances: circumstances(
        of: take, ending: finished.ending, elapsed: finished.elapsed, facts))
    services.library.add(kept)
    emit("Finished", finishedArguments(kept))
  }

  private func circumstances(
    of take: ActiveTake, ending: Ending, elapsed: Double, _ facts: RecordingFacts
  ) -> KeptTake.Circumstances {
    // Readings see every channel, but neither a pre-roll nor what came after the last one.
    let verdict = Verdict(peak: max(take.peak, facts.peak))
    return KeptTake.Circumstances(
      ending: ending.rawValue, source: take.settings.source, target: take.settings.target,
      elapsed: elapsed, gaps: take.gaps + facts.missed, verdict: verdict.rawValue)
  }

  // MARK: Signals

  private func tellPhase(_ phase: Phase, take: UInt32) {
    if phase == .idle { level = 0 }
    emit("Phase", [.string(phase.rawValue), .uint32(take)])
    mark("CurrentPhase", "CurrentTake")
    linkedMayHaveChanged()
  }

  func tellNotice(_ kind: NoticeKind, _ details: [String: BusValue]) {
    emit("Notice", [.string(kind.rawValue), .dictionary(details)])
  }

  private func emit(_ member: String, _ arguments: [BusValue], droppable: Bool = false) {
    services.bus.emit(
      path: path, interface: WireNames.recorder, member: member, arguments, to: owner,
      droppable: droppable)
  }

  /// Tells changed properties once, after all that one event changed.
  func mark(_ properties: String...) {
    if changed.isEmpty {
      services.loop.later { [weak self] in
        guard let self else { return }
        let names = changed
        changed = []
        var values: [String: BusValue] = [:]
        for name in names {
          let value = value(of: name)
          if told.updateValue(value, forKey: name) != value { values[name] = value }
        }
        if values.isEmpty { return }
        services.bus.emit(
          path: path, interface: WireNames.properties, member: "PropertiesChanged",
          [.string(WireNames.recorder), .dictionary(values), .strings([])], to: owner)
      }
    }
    changed.formUnion(properties)
  }
}

/// Told apart from the recorder's own watch of its owner.
private let viewKey = "#view"

/// The arguments of `Finished` and `TakeRecovered`.
func finishedArguments(_ kept: KeptTake) -> [BusValue] {
  [
    .uint32(kept.take), .string(kept.uri), .double(kept.facts.duration),
    .doubles(kept.facts.waveform), .dictionary(kept.details),
  ]
}
