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

  init(_ daemon: Daemon) {
    self.daemon = daemon
    let recorder = Daemon.recorder
    subscriptions = ["Finished", "Discarded"].map { member in
      daemon.bus.subscribe(
        sender: Daemon.name, path: recorder.path, interface: recorder.name, member: member
      ) { [weak self] in self?.receive($0) }
    }
  }

  deinit { for subscription in subscriptions { subscription.cancel() } }

  /// Runs the loop until the take has ended.
  /// - Throws: `Failure` when the daemon goes, or does not tell within a minute.
  func wait(for take: UInt32) throws(Failure) -> RecorderState.Ending {
    awaited = take
    if let ending = endings[take] { return ending }
    let loop = daemon.loop
    let timer = loop.timer { loop.stop(1) }
    timer.start(after: Self.deadline)
    let peer = daemon.bus.watchPeer(Daemon.name) { loop.stop(2) }
    daemon.bus.onDisconnect = { loop.stop(2) }
    let status = loop.run()
    timer.cancel()
    peer.cancel()
    if let ending = endings[take] { return ending }
    throw status == 2
      ? .daemonGone
      : Failure(
        .unreachable, "voiced has not finished take \(take) within a minute;"
          + " \"vctl takes\" lists it when it is ready.")
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
    .unreachable, "voiced ended meanwhile; what it had saved is listed by \"vctl takes\" once it"
      + " runs again.")
}
