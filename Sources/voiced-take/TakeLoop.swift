import Glibc
import VoiceAudio
import VoiceCore

/// Runs one take under the daemon's direction: one wait, for the control socket or the next reading.
///
/// While a take runs it wakes twice a second, to read the ring and, every second time, to sync the
/// spool. Before the first frame and after the last one it sleeps until it is told something.
struct TakeLoop {
  private let control: ControlSocket
  private let ring: SoundRing
  private var take: Take?
  /// The last word, waiting until every frame up to the cut has come.
  private var answer: TakeCommand?
  /// The first failure; it is told once, and again as the answer when there is nothing to give.
  private var failure: TakeFailure?
  /// CLOCK_MONOTONIC ns of the next reading.
  private var due: UInt64 = 0
  /// When to take what has come of a cut, in the same time.
  private var patience: UInt64 = 0
  /// When to finish without the frames that follow the cut.
  private var haste: UInt64 = 0
  private var readings = 0

  /// Time between two readings of the ring, which holds 16 of them.
  private static let pace: UInt64 = 500_000_000
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
      let now = monotonicNow()
      let isWaiting = take?.isWaitingForCut ?? false
      if isWaiting, now >= haste { take?.isHasty = true }
      if isWaiting, now >= patience {
        attempt { (take) throws(TakeFailure) in try take.cut(at: nil) }
      } else if take?.isRunning ?? false, now >= due {
        due = now + (isWaiting ? Self.lookout : Self.pace)
        advance()
      }
      if let answer, !(take?.isWaitingForCut ?? false) {
        self.answer = nil
        if give(answer) { return }
      }
      switch control.wait(until: take?.isRunning ?? false ? due : nil) {
      case .message(let message): if let command = TakeCommand(message) { obey(command) }
      case .nothing: break
      case .closed:
        take?.abandon()
        return
      }
    }
  }

  private mutating func obey(_ command: TakeCommand) {
    switch command {
    case .open(let folder, let number, let format, let waveforms):
      guard take == nil, failure == nil else { return }
      do throws(TakeFailure) {
        take = try Take(
          ring: ring, folder: folder, take: number, format: format, waveforms: waveforms)
      } catch {
        fail(error)
      }
    case .begin(let frame):
      take?.begin(at: frame)
      due = monotonicNow()
    case .cut(let frame):
      patience = monotonicNow() + Self.longest
      haste = monotonicNow() + Self.longestBeyond
      due = 0
      attempt { (take) throws(TakeFailure) in try take.cut(at: frame) }
    case .keep, .setAside:
      answer = command
      if let take, !take.isCut { attempt { (take) throws(TakeFailure) in try take.cut(at: nil) } }
    case .drop: answer = command
    }
  }

  private mutating func advance() {
    readings += 1
    let isSyncDue = readings % 2 == 0
    attempt { (take) throws(TakeFailure) in
      try take.advance()
      if isSyncDue { try take.sync() }
    }
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
      return true
    } catch {
      take?.fail()
      control.send(error.report.message)
      return false
    }
  }
}
