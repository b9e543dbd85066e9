import VoiceIO

/// Sees clients leave the bus: whoever depends on one is told once, however it goes.
final class PeerWatches {
  private let bus: Bus
  private var watched: [String: Peer] = [:]

  /// A client, and who is told when it goes, by the path of the object that asked.
  private struct Peer {
    let subscription: Subscription
    var gone: [String: () -> Void]
  }

  init(bus: Bus) { self.bus = bus }

  /// Runs `gone` when the client leaves, also when it has left already; once for each object.
  func watch(_ name: String, for path: String, gone: @escaping () -> Void) {
    if watched[name] != nil {
      watched[name]?.gone[path] = gone
      return
    }
    let subscription = bus.watchPeer(name) { [weak self] in
      for (_, gone) in self?.watched.removeValue(forKey: name)?.gone ?? [:] { gone() }
    }
    watched[name] = Peer(subscription: subscription, gone: [path: gone])
  }

  /// The object no longer depends on the client.
  func forget(_ name: String, for path: String) {
    watched[name]?.gone[path] = nil
    guard watched[name]?.gone.isEmpty == true else { return }
    watched.removeValue(forKey: name)?.subscription.cancel()
  }
}
