import CDBus

extension Bus {
  /// Hears signals that match, until cancelled; what is `nil` matches anything.
  ///
  /// The bus is told without waiting for it: what it sends after it has read this is heard.
  @discardableResult
  package func subscribe(
    sender: String?, path: String?, interface: String?, member: String?, arg0: String? = nil,
    _ handler: @escaping (BusSignal) -> Void
  ) -> Subscription {
    let entry = SignalHandler(
      sender: sender, path: path, interface: interface, member: member, arg0: arg0,
      handler: handler)
    let rule = entry.rule
    handlers.append(entry)
    dbus_bus_add_match(connection, rule, nil)
    return Subscription { [weak self] in
      entry.cancel()
      guard let self else { return }
      handlers.removeAll { $0 === entry }
      if isConnected { dbus_bus_remove_match(connection, rule, nil) }
    }
  }

  /// Tells once, from the loop, when nobody owns this name any more.
  ///
  /// A peer that has left before this call is told gone too. All watches of one name share one match
  /// rule. The end of the bus itself is told by `onDisconnect` only.
  @discardableResult
  package func watchPeer(_ name: String, gone: @escaping () -> Void) -> Subscription {
    let peer = peers[name] ?? startWatching(name)
    let key = peer.add(gone)
    return Subscription { [weak self] in
      guard peer.remove(key) else { return }
      if let self, peers[name] === peer { stopWatching(name) }
    }
  }

  /// Asks the bus for the process behind a connection; `nil` when it is gone or the bus cannot tell.
  package func processID(of name: String, then: @escaping (UInt32?) -> Void) {
    call(
      destination: BusDriver.name, path: BusDriver.path, interface: BusDriver.name,
      member: "GetConnectionUnixProcessID", [.string(name)]
    ) { result in
      then((try? result.get())?.first?.whole.flatMap { UInt32(exactly: $0) })
    }
  }

  private func startWatching(_ name: String) -> PeerWatch {
    let peer = PeerWatch()
    peers[name] = peer
    peer.subscription = subscribe(
      sender: BusDriver.name, path: BusDriver.path, interface: BusDriver.name,
      member: "NameOwnerChanged", arg0: name
    ) { [weak self] signal in
      guard signal.arguments.count == 3, signal.arguments[2].text == "" else { return }
      self?.tellGone(name, peer)
    }
    // The bus reads this after the match rule: whoever leaves later is told by a signal.
    call(
      destination: BusDriver.name, path: BusDriver.path, interface: BusDriver.name,
      member: "NameHasOwner", [.string(name)]
    ) { [weak self] result in
      if case .success(let values) = result, values.first?.flag == false {
        self?.tellGone(name, peer)
      }
    }
    return peer
  }

  private func tellGone(_ name: String, _ peer: PeerWatch) {
    guard peers[name] === peer else { return }
    stopWatching(name)
    peer.tellAll()
  }

  private func stopWatching(_ name: String) {
    peers.removeValue(forKey: name)?.subscription?.cancel()
  }
}

/// Everybody who waits for one name to go.
final class PeerWatch {
  var subscription: Subscription?
  private var waiting: [Int: () -> Void] = [:]
  private var lastKey = 0

  func add(_ gone: @escaping () -> Void) -> Int {
    lastKey += 1
    waiting[lastKey] = gone
    return lastKey
  }

  /// True when that was the last one.
  func remove(_ key: Int) -> Bool {
    waiting.removeValue(forKey: key) != nil && waiting.isEmpty
  }

  /// One of them may take another off the list.
  func tellAll() {
    for key in waiting.keys.sorted() { waiting.removeValue(forKey: key)?() }
  }
}
