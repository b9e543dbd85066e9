import VoiceIO

/// Waits for a take's end: its recording, or how it was discarded.
///
/// Make it before the verb that ends the take, so that no end is missed.
final class TakeEnd {
  /// Seconds a recording may take to be finished: it is encoded while it runs, so this is for a
  /// machine in trouble.
  private static let deadline = 60.0

  private let daemon: Daemon
  private var endings: [UInt32: RecorderState.Ending] = [:]
  private var awaited: UInt32?
  private var subscriptions: [Subscription] = []

  /// Hears these signals of the interface, by which ends are told.
  init(
    _ daemon: Daemon, of interface: Daemon.Interface = Daemon.recorder,
    _ members: [String] = ["Finished", "Discarded"]
  ) {
    self.daemon = daemon
    subscriptions = members.map { member in
      daemon.bus.subscribe(
        sender: Daemon.name, path: interface.path, interface: interface.name, member: member
      ) { [weak self] in self?.receive($0) }
    }
  }

  deinit { for subscription in subscriptions { subscription.cancel() } }

  /// Runs the loop until the take has ended; `nil` when somebody else stopped the loop.
  ///
  /// - Parameter deadline: seconds after which it is given up.
  /// - Throws: `Failure` when the daemon goes, or the deadline passes.
  func wait(
    for take: UInt32, deadline: Double = deadline
  ) throws(Failure) -> RecorderState.Ending? {
    awaited = take
    if let ending = endings[take] { return ending }
    let loop = daemon.loop
    var failure: Failure?
    let timer = loop.timer {
      failure = Failure(
        .unreachable,
        "voiced has not finished take \(take) within a minute;"
          + " \"vctl takes\" lists it when it is ready.")
      loop.stop(0)
    }
    if deadline.isFinite { timer.start(after: deadline) }
    let leave = {
      failure = .daemonGone
      loop.stop(0)
    }
    let peer = daemon.bus.watchPeer(Daemon.name, gone: leave)
    daemon.bus.onDisconnect = leave
    _ = loop.run()
    timer.cancel()
    peer.cancel()
    if let ending = endings[take] { return ending }
    if let failure { throw failure }
    return nil
  }

  private func receive(_ signal: BusSignal) {
    guard case .ended(let ending)? = RecorderEvent(signal) else { return }
    endings[ending.take] = ending
    if ending.take == awaited { daemon.loop.stop(0) }
  }
}

extension Failure {
  /// The daemon left the bus while something was waited for.
  static let daemonGone = Failure(
    .unreachable,
    "voiced ended meanwhile; what it had saved is listed by \"vctl takes\" once it"
      + " runs again.")
}
