import VoiceIO

/// Finds out whether the owner of leases still reads, so that levels never pile up in the bus.
///
/// Asked by a ping while levels are sent; an owner that does not answer in time gets no levels
/// until it does. What can pile up is the levels of one round: some 10 s of them.
final class OwnerPulse {
  /// Seconds between pings, and for which an answer is waited before levels are held back.
  private let interval: Double
  /// Seconds after which an unanswered ping is asked again.
  private static let patience = 600.0

  private(set) var isAwake = true
  private let owner: String
  private let bus: Bus
  private let loop: EventLoop
  private var timer: LoopTimer?
  private var isAsked = false

  init(owner: String, bus: Bus, loop: EventLoop, interval: Double = 5) {
    self.interval = interval
    self.owner = owner
    self.bus = bus
    self.loop = loop
    timer = loop.timer { [weak self] in self?.due() }
  }

  deinit { timer?.cancel() }

  /// Levels are being sent: the owner's answer is wanted.
  func beat() {
    if timer?.isArmed == false, !isAsked { timer?.start(after: interval) }
  }

  private func due() {
    if isAsked {
      isAwake = false
      return
    }
    isAsked = true
    timer?.start(after: interval)
    bus.call(
      destination: owner, path: "/", interface: "org.freedesktop.DBus.Peer", member: "Ping",
      timeout: Self.patience
    ) { [weak self] result in
      guard let self else { return }
      isAsked = false
      if case .failure(let failure) = result, failure.name == "org.freedesktop.DBus.Error.NoReply" {
        return due()
      }
      // Any other answer, an error too, was written by somebody awake.
      isAwake = true
      timer?.cancel()
    }
  }
}
