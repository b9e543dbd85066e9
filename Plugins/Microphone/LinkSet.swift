import CPipeWire

/// The links that we make: from each port of what is captured to the same channel of our stream. [main]
///
/// Made by ourselves and not by the session manager, so that nothing is put in the place of what was asked for and
/// capture goes on while the session manager restarts. They end with the connection.
final class LinkSet {
  struct Wish: Equatable {
    let from: UInt32
    let to: UInt32
    let outputNode: UInt32
    let inputNode: UInt32
  }

  private final class Made {
    let wish: Wish
    let proxy: OpaquePointer
    let listener: Listener<pw_proxy_events>
    var isGone = false
    private let onChange: () -> Void

    init(_ wish: Wish, _ proxy: OpaquePointer, onChange: @escaping () -> Void) {
      self.wish = wish
      self.proxy = proxy
      self.onChange = onChange
      var events = pw_proxy_events()
      events.version = UInt32(PW_VERSION_PROXY_EVENTS)
      events.removed = { Made.noteGone($0) }
      events.error = { data, _, _, _ in Made.noteGone(data) }
      listener = Listener(events)
      pw_proxy_add_listener(
        proxy, listener.hook, listener.events, Unmanaged.passUnretained(self).toOpaque())
    }

    private static func noteGone(_ data: UnsafeMutableRawPointer?) {
      guard let data else { return }
      let made = Unmanaged<Made>.fromOpaque(data).takeUnretainedValue()
      made.isGone = true
      made.onChange()
    }

    func destroy() {
      listener.remove()
      pw_proxy_destroy(proxy)
    }
  }

  private var made: [Made] = []
  private let onChange: () -> Void

  init(onChange: @escaping () -> Void) { self.onChange = onChange }

  /// Makes the links that are wished and ends those that are not; true when a new one was asked for.
  func satisfy(_ wishes: [Wish], _ core: OpaquePointer) -> Bool {
    var isNew = false
    removeAll { $0.isGone || !wishes.contains($0.wish) }
    for wish in wishes where !made.contains(where: { $0.wish == wish }) {
      guard let proxy = LinkSet.create(wish, core) else { continue }
      made.append(Made(wish, proxy, onChange: onChange))
      isNew = true
    }
    return isNew
  }

  func removeAll() { removeAll { _ in true } }

  private func removeAll(where isUnwanted: (Made) -> Bool) {
    for link in made where isUnwanted(link) { link.destroy() }
    made.removeAll(where: isUnwanted)
  }

  private static func create(_ wish: Wish, _ core: OpaquePointer) -> OpaquePointer? {
    guard let properties = pw_properties_new_string("") else { return nil }
    defer { pw_properties_free(properties) }
    func set(_ key: String, _ value: UInt32) {
      _ = Text(value).withCString { pw_properties_set(properties, key, $0) }
    }
    set("link.output.node", wish.outputNode)
    set("link.output.port", wish.from)
    set("link.input.node", wish.inputNode)
    set("link.input.port", wish.to)
    return withUnsafePointer(to: &properties.pointee.dict) { dictionary in
      OpaquePointer(
        pw_core_create_object(
          core, "link-factory", "PipeWire:Interface:Link", UInt32(PW_VERSION_LINK), dictionary, 0))
    }
  }
}
