import Glibc
import VoiceAudio
import VoiceCore

/// Runs one take under the daemon's direction: one wait, for the control socket or the next reading.
///
/// While a take runs it wakes twice a second, to read the ring and, every second time, to sync the
/// spool. Before the first frame, and once the last one is on disk, it sleeps until it is told something.
struct TakeLoop {
  private let control: ControlSocket
  private let ring: SoundRing
  private var take: Take?
  /// The last word, waiting until every frame up to the cut has come.
  private var answer: TakeCommand?
  /// Whether it was told that the spool is closed.
  private var toldClosed = false
  /// The first failure; it is told once, and again as the answer when there is nothing to give.
  private var failure: TakeFailure?
  /// CLOCK_MONOTONIC ns of the next reading.
  private var due: UInt64 = 0
  /// When to take what has come of a cut, in the same time.
  private var patience: UInt64 = 0
  /// When to finish without the frames that follow the cut.
  private var haste: UInt64 = 0
  /// When the spool was synced last, in the same time.
  private var synced: UInt64 = 0

  /// Time between two readings of the ring, which holds 16 of them.
  private static let pace: UInt64 = 500_000_000
  /// Time between two syncs, and a little less, so that every second reading is one.
  private static let syncPace: UInt64 = 900_000_000
  /// Time between two looks at the ring while the last frames before a cut are on their way.
  private static let lookout: UInt64 = 5_000_000
  /// How long those frames may be on their way.
  private static let longest: UInt64 = 300_000_000
  /// How long the frames after them may be waited for: a source's quantum and a bit.
  private static let longestBeyond: UInt64 = 60_000_000

  init(control: ControlSocket, ring: SoundRing) {
    self.control = control
    self.ring = ring
  }

  /// Returns when the take is kept, set aside or dropped, or the daemon is gone.
  mutating func run() {
    while true {
      work(at: monotonicNow())
      if !toldClosed, take?.isClosed ?? false {
        toldClosed = true
        control.send(TakeReport.closed.message)
      }
      if let answer, answer == .drop || !isWaitingForCut {
        self.answer = nil
        if give(answer) { return }
      }
      switch control.wait(until: take?.hasWork ?? false ? due : nil) {
      case .message(let message): if let command = TakeCommand(message) { obey(command) }
      case .nothing: break
      case .closed:
        take?.abandon()
        return
      }
    }
  }

  private var isWaitingForCut: Bool { take?.isWaitingForCut ?? false }

  /// Reads, encodes and syncs what is due.
  private mutating func work(at now: UInt64) {
    guard let take, take.hasWork, now >= due else { return }
    let isWaiting = take.isWaitingForCut
    // A sync may take long: none while somebody waits for the last frames.
    let isSyncDue = !isWaiting && (!take.isRunning || now >= synced + Self.syncPace)
    if isSyncDue { synced = now }
    let isLate = isWaiting && now >= patience
    if isWaiting, now >= haste { take.isHasty = true }
    attempt { (take) throws(TakeFailure) in
      if isLate { try take.settle() } else { try take.advance() }
      if isSyncDue { try take.sync() }
    }
    due = monotonicNow() + (isWaitingForCut ? Self.lookout : Self.pace)
  }

  private mutating func obey(_ command: TakeCommand) {
    switch command {
    case .open(let folder, let number, let format, let waveforms, let gain):
      guard take == nil, failure == nil else { return }
      do throws(TakeFailure) {
        take = try Take(
          ring: ring, folder: folder, take: number, format: format, waveforms: waveforms,
          gain: gain)
      } catch {
        fail(error)
      }
    case .begin(let frame):
      take?.begin(at: frame)
      due = monotonicNow()
    case .cut(let frame): cut(at: frame)
    case .keep, .setAside:
      answer = command
      if let take, !take.isCut { cut(at: nil) }
    case .drop: answer = command
    }
  }

  private mutating func cut(at frame: UInt64?) {
    attempt { (take) throws(TakeFailure) in try take.cut(at: frame) }
    let now = monotonicNow()
    patience = now + Self.longest
    haste = now + Self.longestBeyond
    due = now + (isWaitingForCut ? Self.lookout : Self.pace)
  }

  private mutating func attempt(_ work: (Take) throws(TakeFailure) -> Void) {
    guard let take else { return }
    do throws(TakeFailure) {
      try work(take)
    } catch {
      take.fail()
      fail(error)
    }
  }

  private mutating func fail(_ failure: TakeFailure) {
    guard self.failure == nil else { return }
    self.failure = failure
    control.send(failure.report.message)
  }

  /// Answers the last word; `false` when it could not be done, and another one may come.
  private mutating func give(_ answer: TakeCommand) -> Bool {
    guard answer != .drop else {
      take?.discard()
      return true
    }
    do throws(TakeFailure) {
      guard let take else {
        throw failure ?? TakeFailure(.invalidValue, "no take was opened")
      }
      let report = answer == .keep ? try take.keep() : try take.setAside()
      control.send(report.message)
      take.syncNames()
      return true
    } catch {
      take?.fail()
      control.send(error.report.message)
      return false
    }
  }
}
