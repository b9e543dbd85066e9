import CLinux
import Glibc
import VoiceAudio
import VoiceCore
import VoiceIO

/// One running source: its process, its ring, and the takes and leases that share it.
///
/// The ring outlives the process: a process that dies is started again on the same ring, which is a
/// gap in the sound. Lives on the daemon's thread.
final class SourceRun {
  /// Seconds without frames after which the source counts as lost.
  private static let patience = 0.5
  /// Seconds a take waits for sound before it is given up.
  private static let takePatience = 3.0
  /// Deaths within `deathSpan` seconds after which the source counts as unable to run; a plugin that
  /// hangs at its start takes 5 s for each.
  private static let deathLimit = 3
  private static let deathSpan = 30.0
  /// Frames by which a process shows that it can run, until somebody kills it.
  private static let proof = UInt64(SoundRing.rate)

  let key: SourceKey
  let source: PluginSource
  let ring: SoundRing
  /// What the source is really linked to; `nil` while that is nothing, or it is lost.
  private(set) var linked: String?
  /// What the plugin said it is linked to, whether sound comes from there or not.
  private var reported: String?
  private(set) var isLost = false
  private(set) var level = 0.0
  private(set) var hasEnded = false

  private let loop: EventLoop
  private let host: SourceHost
  private let options: String
  private let gain: Double
  private let wake: Int32
  private var listeners: [Member] = []
  private var process: SourceProcess?
  private var deaths: [UInt64] = []
  /// The ring's frames when the running process was started.
  private var writtenBefore: UInt64 = 0
  /// What the plugin last logged as an error since its process started: why it cannot start.
  private var complaint = ""
  /// What the plugin logged last since it told what it is linked to, where that was a warning: why
  /// no sound comes.
  private var hint = ""
  private var wakeWatch: Watch?
  private var timer: LoopTimer?
  private var retry: LoopTimer?
  private var pace: ReadingPace
  private var smoother = LevelSmoother()
  private var reportsLinks = false
  private var lastFrames: UInt64?
  private var lastReading: UInt64
  /// Show even a stream that only meters as recording: its sound may yet become a take's pre-roll.
  private let mayBecomeTake: Bool
  private var isRecording: Bool

  /// A listener and since when it waits for sound.
  private struct Member {
    let listener: any SourceListener
    let since: UInt64
    var wasFailed = false
  }

  /// Makes the ring; the process starts with the first listener.
  ///
  /// `options` are the plugin's `key=value` lines, `gain` is the user's `level-gain` in dB.
  init(
    key: SourceKey, source: PluginSource, loop: EventLoop, host: SourceHost, options: String,
    gain: Double, mayBecomeTake: Bool
  ) throws {
    self.mayBecomeTake = mayBecomeTake
    isRecording = mayBecomeTake
    self.key = key
    self.source = source
    self.loop = loop
    self.host = host
    self.options = options
    self.gain = gain
    ring = try SoundRing.create()
    wake = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))
    guard wake >= 0 else { throw IOError(operation: "make an eventfd", code: errno) }
    let now = EventLoop.now
    pace = ReadingPace(at: now)
    lastReading = now
    timer = loop.timer { [weak self] in self?.tick(isWake: false) }
    retry = loop.timer { [weak self] in self?.startProcess() }
    wakeWatch = try loop.watch(wake, read: true, write: false) { [weak self] _, _ in
      guard let self else { return }
      var count: UInt64 = 0
      _ = Glibc.read(wake, &count, 8)
      tick(isWake: true)
    }
  }

  deinit {
    wakeWatch?.cancel()
    timer?.cancel()
    retry?.cancel()
    process?.stop()
    close(wake)
  }

  var isUnused: Bool { listeners.isEmpty }

  /// Whether frames are arriving now; those that this process has not come to read count.
  var isFlowing: Bool {
    guard let lastFrames, !hasEnded else { return false }
    return ring.hasNews || seconds(since: lastFrames) < Self.patience
  }

  /// Seconds that were lost in the ring so far, the time since the last frames included when the
  /// source is lost now.
  func lostSeconds(at now: UInt64) -> Double {
    var lost = Double(ring.lost) / 1e9
    if !isFlowing, !hasEnded, let end = ring.end, now > end { lost += Double(now - end) / 1e9 }
    return lost
  }

  func join(_ listener: any SourceListener) {
    listeners.append(Member(listener: listener, since: EventLoop.now))
    updateRecording()
    if process == nil, !hasEnded { startProcess() }
    schedule()
  }

  func leave(_ listener: any SourceListener) {
    listeners.removeAll { $0.listener === listener }
    updateRecording()
    schedule()
  }

  /// Ends the process; the run is not used again.
  func stop() {
    timer?.cancel()
    retry?.cancel()
    process?.stop()
    process = nil
  }

  private func seconds(since time: UInt64) -> Double {
    let now = EventLoop.now
    return now > time ? Double(now - time) / 1e9 : 0
  }

  private func updateRecording() {
    let wanted = mayBecomeTake || listeners.contains { $0.listener.isTake }
    guard wanted != isRecording else { return }
    isRecording = wanted
    process?.send(.recording(wanted))
  }

  // MARK: The process

  private func startProcess() {
    guard process == nil, !hasEnded else { return }
    let process = SourceProcess(loop: loop)
    self.process = process
    writtenBefore = ring.written
    complaint = ""
    hint = ""
    process.onReport = { [weak self, weak process] in
      guard let self, let process, self.process === process else { return }
      report($0)
    }
    process.onDeath = { [weak self, weak process] status in
      guard let self, let process, self.process === process else { return }
      self.process = nil
      // Killed from outside, and it had run well: that says nothing of what it can do.
      let isKilled = status == .signalled(SIGKILL) || status == .signalled(SIGTERM)
      if isKilled, ring.written >= writtenBefore + Self.proof { deaths = [] }
      died(status.text)
    }
    do {
      try process.start(source, host: host, ring: ring.descriptor, wake: wake)
      process.send(
        .start(
          target: key.target, options: options + (isRecording ? "recording=1\n" : "recording=0\n")))
    } catch {
      self.process = nil
      died(error.text)
    }
  }

  private func report(_ report: SourceReport) {
    switch report {
    case .linked(let target):
      reportsLinks = true
      reported = target
      hint = ""
      target == nil ? lose() : updateLinked()
    case .ended(let code) where code == 0: end()
    case .ended(let code): giveUp(Refusal(SourceRun.error(of: code, in: source)))
    case .failed(let code, let text):
      log("source \(key.source): \(text)")
      giveUp(Refusal(SourceRun.error(of: code, in: source), complaint))
    case .log(let severity, let text):
      // VOICED_LOG_INFO, _WARNING and _ERROR: what the host says of the plugin is above them.
      if severity == 1 { hint = "" }
      if severity == 2 { hint = String(text.prefix(255)) }
      if severity == 3 { complaint = String(text.prefix(255)) }
      if severity >= 2 { log("source \(key.source): \(text)") }
    case .format: break
    }
  }

  private func died(_ how: String) {
    log("source \(key.source): its process ended: \(how)")
    let now = EventLoop.now
    deaths = deaths.filter { seconds(since: $0) < Self.deathSpan } + [now]
    reported = nil
    updateLinked()
    if deaths.count < Self.deathLimit {
      startProcess()
    } else {
      failTakes(Refusal(.sourceFailed))
      retry?.start(after: min(30, Double(deaths.count)))
    }
    schedule()
  }

  /// The end of the material: what is in the ring is still told, then the end.
  private func end() {
    guard !hasEnded else { return }
    read(at: EventLoop.now, isRise: false)
    hasEnded = true
    process?.stop()
    process = nil
    reported = nil
    updateLinked()
    schedule()
    for member in listeners { member.listener.ended() }
  }

  /// The plugin said that it will not deliver; takes end, leases wait and try again where time may
  /// mend it.
  private func giveUp(_ why: Refusal) {
    process?.stop()
    process = nil
    reported = nil
    lose()
    updateLinked()
    failTakes(why)
    if source.flags.contains(.hostClock) || why.error == .invalidValue {
      for member in listeners where !member.listener.isTake { member.listener.failed(why) }
    } else {
      retry?.start(after: 1)
    }
  }

  /// Tells takes, once each, that there is nothing to wait for; later, since they may leave.
  private func failTakes(_ why: Refusal, where isOver: (Member) -> Bool = { _ in true }) {
    for index in listeners.indices {
      let member = listeners[index]
      guard member.listener.isTake, !member.wasFailed, isOver(member) else { continue }
      listeners[index].wasFailed = true
      loop.later { member.listener.failed(why) }
    }
  }

  private func updateLinked() {
    let target = isLost || hasEnded ? nil : reported
    guard target != linked else { return }
    linked = target
    for member in listeners { member.listener.linked(to: target) }
  }

  // MARK: The meter

  private func tick(isWake: Bool) {
    let now = EventLoop.now
    let hasFrames = ring.hasNews
    if isWake, hasFrames {
      if pace.rise(at: now) { read(at: now, isRise: true) }
    } else {
      switch pace.tick(hasFrames: hasFrames, at: now) {
      case .wait: break
      case .read: read(at: now, isRise: false)
      case .silence:
        ring.note(readingPower: 0)
        tell(.silence, hasFrames: false, isRise: false, at: now)
      }
    }
    watch(at: now)
    let written = ring.written
    for member in listeners { member.listener.ticked(written: written, at: now) }
    schedule()
  }

  private func read(at now: UInt64, isRise: Bool) {
    guard let drained = ring.drainReading() else { return }
    lastFrames = now
    let reading =
      drained.level.map { Reading(level: Double($0)) }
      ?? Reading(loudness: Loudness.of(power: drained.power, gain: gain), peak: drained.peak)
    ring.note(readingPower: drained.power)
    if !reportsLinks { reported = key.target.isEmpty ? key.source : key.target }
    let wasLost = isLost
    // What a source had delivered before it lost its target may be read only now.
    if reported != nil { isLost = false }
    updateLinked()
    if wasLost, !isLost {
      for member in listeners { member.listener.back() }
    }
    tell(reading, hasFrames: true, isRise: isRise, at: now)
  }

  private func tell(_ reading: Reading, hasFrames: Bool, isRise: Bool, at now: UInt64) {
    level = smoother.add(reading.loudness)
    let heard = HeardReading(
      reading: reading, level: level,
      seconds: now > lastReading ? Double(now - lastReading) / 1e9 : 0, hasFrames: hasFrames,
      isRise: isRise)
    lastReading = now
    for member in listeners { member.listener.heard(heard, at: now) }
  }

  /// Sees that sound has stopped coming, and for whom that has lasted too long.
  private func watch(at now: UInt64) {
    guard !hasEnded else { return }
    if lastFrames.map({ seconds(since: $0) >= Self.patience }) ?? false { lose() }
    failTakes(absence) { member in
      seconds(since: max(member.since, self.lastFrames ?? 0)) >= Self.takePatience
    }
  }

  /// Why no sound comes, as far as is known.
  var absence: Refusal {
    let isPinned = !key.target.isEmpty && key.target != "default"
    return isPinned && reportsLinks && reported == nil && hint.isEmpty
      ? Refusal(.noSuchTarget, "\(key.target) is not there") : Refusal(.sourceUnavailable, hint)
  }

  private func lose() {
    guard !isLost, !hasEnded else { return }
    isLost = true
    updateLinked()
    for member in listeners { member.listener.lost() }
  }

  /// Ticks at the pace of readings while there is sound or a take; not at all while leases wait
  /// for a lost source, whose first frames wake the daemon.
  private func schedule() {
    let isQuiet = lastFrames == nil || (isLost && level == 0 && !isFlowing)
    // What came while this process looked away wakes nobody again.
    let isResting = isQuiet && !ring.hasNews
    if listeners.isEmpty || hasEnded {
      timer?.cancel()
    } else if !isResting {
      timer?.start(at: pace.due)
    } else if listeners.contains(where: { $0.listener.isTake }) {
      timer?.start(after: 0.1)
    } else {
      timer?.cancel()
    }
  }

  /// What a plugin's negative errno means to a client.
  static func error(of code: Int32, in source: PluginSource) -> VoicedError {
    switch -code {
    case ENOENT, EACCES, ENOTDIR, EISDIR: .noSuchTarget
    case EILSEQ, EBADMSG, ENOTSUP: .notAudio
    case EINVAL: .invalidValue
    case EHOSTDOWN, ECONNREFUSED, EAGAIN, ENODEV: .sourceUnavailable
    default: .sourceFailed
    }
  }
}
