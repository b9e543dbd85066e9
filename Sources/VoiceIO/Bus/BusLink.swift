import CDBus

/// A libdbus connection on an event loop: its descriptor, its timeouts, its queue of messages.
///
/// libdbus keeps two watches on one descriptor, which epoll accepts once: one registration carries
/// both. When libdbus rests its read watch because too much waits to be handled, so does the loop.
final class BusLink {
  /// Messages handled before the loop's other work gets its turn.
  private static let messagesPerRound = 64

  let connection: OpaquePointer
  private let loop: EventLoop
  private var watches: [OpaquePointer] = []
  private var registration: Watch?
  private var timeouts: [OpaquePointer: LoopTimer] = [:]
  private var isDispatchPlanned = false
  private var isClosed = false

  /// Takes over a private connection.
  init(loop: EventLoop, connection: OpaquePointer) {
    self.loop = loop
    self.connection = connection
    let me = Unmanaged.passUnretained(self).toOpaque()
    dbus_connection_set_watch_functions(
      connection,
      { watch, link in BusLink.at(link)?.add(watch: watch) == true ? 1 : 0 },
      { watch, link in BusLink.at(link)?.remove(watch: watch) },
      { _, link in _ = BusLink.at(link)?.follow() }, me, nil)
    dbus_connection_set_timeout_functions(
      connection,
      { timeout, link in
        BusLink.at(link)?.follow(timeout: timeout)
        return 1
      },
      { timeout, link in BusLink.at(link)?.remove(timeout: timeout) },
      { timeout, link in BusLink.at(link)?.follow(timeout: timeout) }, me, nil)
    dbus_connection_set_dispatch_status_function(
      connection,
      { _, status, link in
        if status != DBUS_DISPATCH_COMPLETE { BusLink.at(link)?.planDispatch() }
      }, me, nil)
    // What came in while the connection was made waits already.
    planDispatch()
  }

  private static func at(_ pointer: UnsafeMutableRawPointer?) -> BusLink? {
    pointer.map { Unmanaged<BusLink>.fromOpaque($0).takeUnretainedValue() }
  }

  /// Ends the connection; to be called before the last reference goes.
  func close() {
    guard !isClosed else { return }
    isClosed = true
    dbus_connection_set_dispatch_status_function(connection, nil, nil, nil)
    dbus_connection_set_watch_functions(connection, nil, nil, nil, nil, nil)
    dbus_connection_set_timeout_functions(connection, nil, nil, nil, nil, nil)
    registration?.cancel()
    for timer in timeouts.values { timer.cancel() }
    dbus_connection_close(connection)
    dbus_connection_unref(connection)
  }

  // MARK: Messages

  private func planDispatch() {
    guard !isDispatchPlanned, !isClosed else { return }
    isDispatchPlanned = true
    loop.later { [weak self] in self?.dispatch() }
  }

  private func dispatch() {
    isDispatchPlanned = false
    for _ in 0..<Self.messagesPerRound {
      guard !isClosed, dbus_connection_dispatch(connection) == DBUS_DISPATCH_DATA_REMAINS
      else { return }
    }
    planDispatch()
  }

  // MARK: Watches

  private func add(watch: OpaquePointer?) -> Bool {
    guard let watch else { return false }
    watches.append(watch)
    return follow()
  }

  private func remove(watch: OpaquePointer?) {
    watches.removeAll { $0 == watch }
    _ = follow()
  }

  /// Brings the registration in line with what libdbus wants; false when the loop refuses.
  private func follow() -> Bool {
    guard let first = watches.first else {
      registration?.cancel()
      registration = nil
      return true
    }
    let wanted = watches.filter { dbus_watch_get_enabled($0) != 0 }
      .reduce(0) { $0 | dbus_watch_get_flags($1) }
    let read = wanted & DBUS_WATCH_READABLE.rawValue != 0
    let write = wanted & DBUS_WATCH_WRITABLE.rawValue != 0
    if let registration {
      registration.update(read: read, write: write)
      return true
    }
    registration = try? loop.watch(dbus_watch_get_unix_fd(first), read: read, write: write) {
      [weak self] readable, writable in self?.handle(readable: readable, writable: writable)
    }
    return registration != nil
  }

  private func handle(readable: Bool, writable: Bool) {
    let ready =
      (readable ? DBUS_WATCH_READABLE.rawValue : 0) | (writable ? DBUS_WATCH_WRITABLE.rawValue : 0)
    // Handling one watch may remove the other.
    for watch in watches where watches.contains(watch) && !isClosed {
      guard dbus_watch_get_enabled(watch) != 0 else { continue }
      let flags = dbus_watch_get_flags(watch) & ready
      if flags != 0 { dbus_watch_handle(watch, flags) }
    }
  }

  // MARK: Timeouts

  private func follow(timeout: OpaquePointer?) {
    guard let timeout else { return }
    let timer = timeouts[timeout] ?? loop.timer { dbus_timeout_handle(timeout) }
    timeouts[timeout] = timer
    if dbus_timeout_get_enabled(timeout) != 0 {
      timer.repeat(every: max(0.001, Double(dbus_timeout_get_interval(timeout)) / 1000))
    } else {
      timer.cancel()
    }
  }

  private func remove(timeout: OpaquePointer?) {
    guard let timeout else { return }
    timeouts.removeValue(forKey: timeout)?.cancel()
  }
}
