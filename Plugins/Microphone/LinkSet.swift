import CPipeWire

/// The links that we make: from each port of what is captured to the same channel of our stream. [main]
///
/// Made by ourselves and not by the session manager, so that nothing is put in the place of what was asked for and
/// capture goes on while the session manager restarts. They end with the connection.
final class LinkSet {
  struct Wish: Equatable {
    let from: Graph.Port
    let to: Graph.Port

    /// Serials tell a port from another one that was given the same id later.
    static func == (left: Wish, right: Wish) -> Bool {
      left.from.serial == right.from.serial && left.to.serial == right.to.serial
    }
  }

  private final class Made {
    let wish: Wish
    private(set) var isGone = false
    private let proxy: OpaquePointer
    private let listener: Listener<pw_proxy_events>
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

  /// Whether a link of the graph is one of ours.
  func contains(_ link: Graph.Link) -> Bool {
    made.contains { $0.wish.from.id == link.from && $0.wish.to.id == link.to }
  }

  /// Ends the links that are not wished any more.
  func keep(_ wishes: [Wish]) { removeAll { !wishes.contains($0.wish) } }

  /// Asks for the links that are wished and missing; true when there were any.
  func make(_ wishes: [Wish], _ core: OpaquePointer) -> Bool {
    let missing = wishes.filter { wish in !made.contains { $0.wish == wish } }
    for wish in missing {
      guard let proxy = LinkSet.create(wish, core) else { continue }
      made.append(Made(wish, proxy, onChange: onChange))
    }
    return !missing.isEmpty
  }

  /// Whether links were refused or taken away while both ends are still there.
  ///
  /// They are not asked for again before `forgive`, so that nothing goes in circles.
  var isRefused: Bool { made.contains { $0.isGone } }

  func forgive() { removeAll { $0.isGone } }

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
    set("link.output.node", wish.from.node)
    set("link.output.port", wish.from.id)
    set("link.input.node", wish.to.node)
    set("link.input.port", wish.to.id)
    return withUnsafePointer(to: &properties.pointee.dict) { dictionary in
      OpaquePointer(
        pw_core_create_object(
          core, "link-factory", "PipeWire:Interface:Link", UInt32(PW_VERSION_LINK), dictionary, 0))
    }
  }
}
