import CPipeWire

/// A table of callbacks and the hook that PipeWire threads into its list: memory that must not move.
///
/// `remove` before the object that is listened to goes; a stream is different, see `CaptureStream`.
final class Listener<Events> {
  let hook: UnsafeMutablePointer<spa_hook>
  let events: UnsafeMutablePointer<Events>

  init(_ events: Events) {
    hook = .allocate(capacity: 1)
    hook.initialize(to: spa_hook())
    self.events = .allocate(capacity: 1)
    self.events.initialize(to: events)
  }

  func remove() { spa_hook_remove(hook) }

  deinit {
    hook.deallocate()
    events.deallocate()
  }
}

extension UnsafePointer<spa_dict> {
  /// The value of a key, copied.
  func text(_ key: UnsafePointer<CChar>) -> Text? { Text(cString: spa_dict_lookup(self, key)) }

  func number(_ key: UnsafePointer<CChar>) -> UInt32? {
    guard let value = text(key)?.number, value <= UInt64(UInt32.max) else { return nil }
    return UInt32(value)
  }

  func isTrue(_ key: UnsafePointer<CChar>) -> Bool { text(key) == Text("true") }
}
