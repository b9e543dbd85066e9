import Glibc
import VoiceAudio
import VoiceCore

/// Runs one take under the daemon's direction: one wait, for the control socket or the next reading.
///
/// While a take runs it wakes twice a second, to read the ring and, every second time, to sync the
/// spool. Before the first frame and after the last one it sleeps until it is told something.
struct TakeLoop {
  private let control: Int32
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
  private var readings = 0

  /// Time between two readings of the ring, which holds 16 of them.
  private static let pace: UInt64 = 500_000_000
  /// Time between two looks at the ring while the last frames before a cut are on their way.
  private static let lookout: UInt64 = 5_000_000
  /// How long those frames may be on their way.
  private static let longest: UInt64 = 300_000_000

  init(control: Int32, ring: SoundRing) {
    self.control = control
    self.ring = ring
  }

  /// Returns when the take is kept, set aside or dropped, or the daemon is gone.
  mutating func run() {
    while true {
      let now = Self.now
      let isWaiting = take?.isWaitingForCut ?? false
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
      switch wait(until: take?.isRunning ?? false ? due : nil) {
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
      due = Self.now
    case .cut(let frame):
      patience = Self.now + Self.longest
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
    send(.failed(error: failure.name.rawValue, text: failure.text))
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
      send(answer == .keep ? try take.keep() : try take.setAside())
      return true
    } catch {
      take?.fail()
      send(.failed(error: error.name.rawValue, text: error.text))
      return false
    }
  }
}

extension TakeLoop {
  private enum Event {
    case message(ControlMessage)
    case nothing
    case closed
  }

  private static var now: UInt64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
  }

  /// Waits for a packet, for ever without a deadline.
  private func wait(until deadline: UInt64?) -> Event {
    var timeout: Int32 = -1
    if let deadline {
      let now = Self.now
      timeout = deadline > now ? Int32(clamping: (deadline - now + 999_999) / 1_000_000) : 0
    }
    var entry = pollfd(fd: control, events: Int16(POLLIN), revents: 0)
    guard poll(&entry, 1, timeout) > 0 else { return .nothing }
    var isOver = false
    let packet = [UInt8](unsafeUninitializedCapacity: ControlMessage.limit) { buffer, filled in
      let count = recv(control, buffer.baseAddress, buffer.count, Int32(MSG_DONTWAIT))
      isOver = count == 0 || count < 0 && errno != EAGAIN && errno != EINTR
      filled = max(0, count)
    }
    if isOver { return .closed }
    return ControlMessage(bytes: packet).map { .message($0) } ?? .nothing
  }

  private func send(_ report: TakeReport) {
    let bytes = report.message.bytes
    _ = Glibc.send(control, bytes, bytes.count, Int32(MSG_NOSIGNAL))
  }
}
