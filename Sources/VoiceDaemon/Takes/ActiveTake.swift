import VoiceAudio
import VoiceCore
import VoiceIO

/// A take from the moment it is asked for until its process has ended: listens to its source and
/// directs its `voiced-take`.
final class ActiveTake: SourceListener {
  /// Frames beyond the cut that the source still delivers, for the encoder to look at.
  private static let lookahead: UInt64 = 256
  /// Seconds that a released take waits for the sound that was heard before its end.
  private static let drainPatience = 0.4

  let number: UInt32
  let settings: TakeSettings
  let client: ClientName
  var isTake: Bool { true }
  private(set) var run: SourceRun?
  private(set) var source: PluginSource?
  private(set) var peaks: PeakMeter
  /// The gaps so far, or in all once it is closed, in seconds.
  private(set) var gaps = 0.0
  /// The highest absolute sample of its readings.
  var peak: Double { verdicts.peak }

  private unowned let recorder: Recorder
  private let services: Services
  private let process: TakeProcess
  private var verdicts = VerdictMeter()
  private var autoStop = AutoStop()
  /// The frame of the ring to begin with.
  private var waitsFrom: UInt64 = 0
  /// Seconds from there to the moment the take was asked for.
  private var preRoll = 0.0
  private var firstFrame: UInt64?
  private var nextPeakFrame: UInt64 = 0
  private var lostBefore = 0.0
  private var cutFrame: UInt64?
  private var drainFrame: UInt64 = 0
  private var drainTimer: LoopTimer?
  private var toldSilent = false
  /// Nobody wants its sound: it is deleted, whatever becomes of its process.
  private(set) var isDropped = false
  /// Why it cannot go on, or has no sound so far; the detail is what the source's plugin said.
  private(set) var why: Refusal?
  /// The process has failed once already.
  private var hasFailed = false
  /// All of its sound is on the disk, and nothing more is expected of its process.
  private(set) var isClosed = false
  private var isAnswered = false

  init(
    number: UInt32, settings: TakeSettings, client: ClientName, recorder: Recorder,
    services: Services
  ) {
    self.number = number
    self.settings = settings
    self.client = client
    self.recorder = recorder
    self.services = services
    peaks = PeakMeter(rate: SoundRing.rate, gain: services.configuration.levelGain)
    process = TakeProcess(take: number, loop: services.loop)
  }

  /// Joins the source and starts the take's process; what fails is told to the recorder later.
  func open(source: PluginSource) {
    self.source = source
    do {
      let run = try services.pool.join(
        self, source: source, target: settings.target, playback: settings.playback)
      self.run = run
      waitsFrom = run.ring.written
      process.onReport = { [weak self] in self?.reported($0) }
      process.onEnd = { [weak self] in self?.processEnded() }
      try process.start(
        host: services.takeHost, ring: run.ring.descriptor,
        open: .open(
          folder: services.folder.path, take: number, format: settings.format.rawValue,
          waveforms: settings.waveforms, gain: services.configuration.levelGain))
      if run.isFlowing { beginOnRunningSource(run) }
    } catch {
      log("take \(number): \(error)")
      later { recorder, take in
        recorder.handle(.sourceFailed(take: take.number, .sourceFailed))
        take.processEnded()
      }
    }
  }

  /// The source runs already, for a lease: the take begins now, or with what was heard just before.
  private func beginOnRunningSource(_ run: SourceRun) {
    let now = EventLoop.now
    let written = run.ring.written
    let heard = min(run.ring.frame(at: now) ?? written, written + UInt64(SoundRing.rate))
    // The take's process needs a moment to start before it reads: two seconds of the ring are left.
    let reach = UInt64(SoundRing.capacity - 2 * SoundRing.rate)
    let oldest = written > reach ? written - reach : 0
    let wanted = frames(seconds: services.configuration.preRoll)
    waitsFrom = max(heard > wanted ? heard - wanted : 0, min(oldest, heard))
    preRoll = Double(heard - waitsFrom) / ringRate
    later { recorder, take in recorder.handle(take.began) }
  }

  /// The first real sound is there; whoever sees it first tells.
  private var began: SessionEvent { .began(take: number, frame: waitsFrom, preRoll: preRoll) }

  // MARK: What the session decided

  func record(from frame: UInt64) {
    firstFrame = frame
    nextPeakFrame = frame
    lostBefore = run?.lostSeconds(at: EventLoop.now) ?? 0
    process.send(.begin(frame: frame))
  }

  /// Ends the sound; the source is left once it has delivered all of it.
  func close(_ cut: CutPoint) {
    guard let run, cutFrame == nil else { return }
    let now = EventLoop.now
    let written = run.ring.written
    let frame: UInt64
    switch cut {
    case .frame(let exact): frame = exact
    case .written(let limit): frame = min(written, limit)
    case .time(let time, let limit):
      let heard = run.isFlowing ? run.ring.frame(at: time) ?? written : written
      frame = min(max(heard, firstFrame ?? 0), limit)
    }
    cutFrame = frame
    if firstFrame != nil {
      gaps = max(0, run.lostSeconds(at: now) - lostBefore)
      process.send(.cut(frame: frame))
    }
    // What the source delivers after the cut lets the encoder end without a fade.
    drainFrame =
      written > frame + Self.lookahead || !run.isFlowing ? written : frame + Self.lookahead
    if firstFrame == nil || written >= drainFrame {
      leave()
    } else {
      drainTimer = services.loop.timer { [weak self] in self?.leave() }
      drainTimer?.start(after: Self.drainPatience)
    }
  }

  func keep() { answer(.keep) }
  func setAside() { answer(.setAside) }

  /// Gives the last word, which is done when the process has ended.
  private func answer(_ command: TakeCommand) {
    isAnswered = true
    isClosed = false
    process.send(command)
  }

  func drop() {
    isDropped = true
    leave()
    answer(.drop)
    // At once, and whatever becomes of the process: nobody is to find what was thrown away.
    services.library.discard(take: number)
  }

  private func leave() {
    drainTimer?.cancel()
    guard let run else { return }
    readPeaks(upTo: cutFrame ?? run.ring.written)
    self.run = nil
    services.pool.leave(self, run)
    recorder.linkedMayHaveChanged()
  }

  // MARK: What the source tells

  func heard(_ heard: HeardReading, at now: UInt64) {
    guard let firstFrame, cutFrame == nil, let run else { return }
    if heard.hasFrames, run.ring.written > firstFrame {
      verdicts.add(peak: heard.reading.peak, at: now)
      // Only hands-free: who holds a key may think as long as they like.
      if recorder.phase == .locked {
        autoStop.add(heard.reading.loudness, seconds: heard.seconds)
      } else {
        autoStop = AutoStop()
      }
    }
    recorder.heard(heard, take: number, at: now)
    if heard.hasFrames, recorder.elapsed(at: now) >= 2 {
      let isSilent = verdicts.verdict(at: now) == .none
      if isSilent, !toldSilent {
        recorder.tellNotice(.silent, ["take": .uint32(number), "verdict": .string("none")])
      }
      // Told again when it is muted once more.
      toldSilent = isSilent
    }
    if autoStop.isOver(limit: settings.autoStop) { recorder.handle(.quiet(take: number)) }
  }

  func ticked(written: UInt64, at now: UInt64) {
    if cutFrame != nil {
      if written >= drainFrame { leave() }
    } else if firstFrame != nil {
      readPeaks(upTo: written)
      recorder.handle(.progress(written: written))
    } else if written > waitsFrom {
      recorder.handle(began)
    } else if let absence = run?.absence {
      why = absence
      recorder.handle(.absent(take: number, absence.error))
    }
  }

  func linked(to target: String?) { recorder.linkedMayHaveChanged() }
  func lost() { if firstFrame != nil { tell(.sourceLost) } }
  func back() { if firstFrame != nil { tell(.sourceBack) } }

  func failed(_ why: Refusal) {
    guard cutFrame == nil else { return }
    self.why = why
    recorder.handle(
      firstFrame == nil ? .sourceFailed(take: number, why.error) : .interruption(why.error),
      take: number)
  }

  func ended() {
    guard cutFrame == nil else { return leave() }
    if firstFrame == nil, let run {
      if run.ring.written > waitsFrom {
        recorder.handle(began)
      } else {
        let detail = "the source ended before its first sound"
        why = Refusal(.sourceFailed, detail)
        log("take \(number): \(detail)")
      }
    }
    recorder.handle(.sourceEnded(take: number))
  }

  private func tell(_ kind: NoticeKind) {
    guard cutFrame == nil else { return }
    recorder.tellNotice(kind, ["take": .uint32(number)])
  }

  private func readPeaks(upTo end: UInt64) {
    guard let run, let firstFrame else { return }
    let written = run.ring.written
    let capacity = UInt64(SoundRing.capacity)
    nextPeakFrame = max(nextPeakFrame, firstFrame, written > capacity ? written - capacity : 0)
    let end = min(end, firstFrame &+ settings.maximumFrames)
    withUnsafeTemporaryAllocation(of: Float.self, capacity: 4096) { buffer in
      while nextPeakFrame < end {
        let count = Int(min(UInt64(buffer.count), end - nextPeakFrame))
        switch run.ring.read(
          from: nextPeakFrame, into: UnsafeMutableBufferPointer(rebasing: buffer[..<count]))
        {
        case .copied(let copied):
          guard copied > 0 else { return }
          peaks.add(UnsafeBufferPointer(rebasing: buffer[..<copied]).span)
          nextPeakFrame += UInt64(copied)
        case .overrun(let oldest): nextPeakFrame = max(oldest, nextPeakFrame + 1)
        }
      }
    }
  }

  // MARK: What the process tells

  private func reported(_ report: TakeReport) {
    switch report {
    case .closed: isClosed = !isAnswered
    case .ready(let facts): recorder.handle(.fileReady(take: number, facts))
    case .kept(let facts): recorder.keptAside(self, facts)
    case .failed(let error, let text):
      log("take \(number): \(text)")
      // It could not do its last word either: it closes its spool and goes, and that is rescued.
      if hasFailed { process.hangUp() }
      hasFailed = true
      isClosed = !isAnswered
      recorder.handle(.fileFailed(take: number, VoicedError(shortName: error) ?? .folderUnusable))
    }
  }

  private func processEnded() {
    leave()
    recorder.ended(self)
  }

  private func later(_ work: @escaping (Recorder, ActiveTake) -> Void) {
    services.loop.later { [weak self, weak recorder] in
      guard let self, let recorder else { return }
      work(recorder, self)
    }
  }
}
