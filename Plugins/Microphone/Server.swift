import CPipeWire

/// The connection to the audio server, on one `pw_loop` whose descriptor the host watches. [main]
///
/// Callbacks only take notes, because nothing may be destroyed from inside `pw_loop_iterate`; the owner looks at
/// the notes after each `iterate`. Nothing but `endLook` waits for the server: a stalled one leaves the notes as they are.
final class Server {
  let loop: UnsafeMutablePointer<pw_loop>
  private(set) var core: OpaquePointer?
  private(set) var registry: OpaquePointer?
  private(set) var defaults: DefaultMetadata?
  /// Wakes the owner, who retries then.
  let alarm: Alarm
  var graph = Graph()

  /// The connection broke; `disconnect` is due.
  private(set) var isLost = false
  /// It has answered since we are connected to it.
  private(set) var hasSpoken = false
  private var hasChanged = false
  private var isAsking = false
  private var isAnswered = false
  private var question: Int32 = 0

  /// Rings when the defaults are to be read again: see `doubtDefaults`.
  private let doubt: Alarm
  private var isDoubtful = false
  /// The defaults as they are being read again.
  private var reread: DefaultMetadata?
  /// A look at the defaults has not been answered: until it is, the server reads nothing of ours.
  private var isLooking = false
  /// The answer that is awaited comes after that look's.
  private var answersLook = false
  /// All metadata objects of that name: one session manager may come before another has left.
  private var candidates: [UInt32] = []

  private var context: OpaquePointer?
  private var coreListener: Listener<pw_core_events>?
  private var registryListener: Listener<pw_registry_events>?

  var descriptor: Int32 { voiced_loop_fd(loop) }

  /// Nil when the loop's descriptors could not be made (errno says why).
  init?() {
    pw_init(nil, nil)
    guard let loop = pw_loop_new(nil) else { return nil }
    self.loop = loop
    alarm = Alarm(loop)
    doubt = Alarm(loop)
    voiced_loop_enter(loop)
  }

  /// Frees everything; `disconnect` was called.
  func destroy() {
    if let context { pw_context_destroy(context) }
    context = nil
    alarm.cancel()
    doubt.cancel()
    voiced_loop_leave(loop)
    pw_loop_destroy(loop)
  }

  static func of(_ data: UnsafeMutableRawPointer?) -> Server? {
    guard let data else { return nil }
    return Unmanaged<Server>.fromOpaque(data).takeUnretainedValue()
  }

  func iterate() {
    _ = voiced_loop_iterate(loop, 0)
    if doubt.didRing() { readDefaultsAgain() }
  }

  // MARK: Connecting

  /// Asks for a connection and for the list of everything; false when there is no server to ask.
  func connect() -> Bool {
    if context == nil { context = pw_context_new(loop, nil, 0) }
    guard let context else { return false }
    let properties = pw_properties_new_string(
      "{ application.name=voiced application.id=org.voiced.Voiced1 }")
    guard let core = pw_context_connect(context, properties, 0) else { return false }
    guard let registry = pw_core_get_registry(core, UInt32(PW_VERSION_REGISTRY), 0) else {
      pw_core_disconnect(core)
      return false
    }
    self.core = core
    self.registry = registry
    listen(core, registry)
    ask()
    return true
  }

  private func listen(_ core: OpaquePointer, _ registry: OpaquePointer) {
    let data = Unmanaged.passUnretained(self).toOpaque()
    var events = pw_core_events()
    events.version = UInt32(PW_VERSION_CORE_EVENTS)
    events.done = { data, id, seq in
      guard id == PW_ID_CORE, let server = Server.of(data), seq == server.question else { return }
      server.isAsking = false
      server.isAnswered = true
      server.hasSpoken = true
    }
    events.error = { data, id, _, result, text in
      guard id == PW_ID_CORE else { return }
      // Whatever breaks the connection is told with this text; other errors are of single objects.
      let isBroken = text.map { strcmp($0, "connection error") == 0 } ?? false
      guard isBroken || result == -EPIPE || result == -ECONNRESET else { return }
      Server.of(data)?.isLost = true
    }
    let coreListener = Listener(events)
    _ = voiced_core_add_listener(core, coreListener.hook, coreListener.events, data)
    self.coreListener = coreListener

    let registryListener = Listener(Server.registryEvents())
    _ = voiced_registry_add_listener(registry, registryListener.hook, registryListener.events, data)
    self.registryListener = registryListener
  }

  /// Forgets the connection and all it told.
  ///
  /// What the owner made of it (streams, links) is gone by now.
  func disconnect() {
    doubt.cancel()
    reread?.release()
    reread = nil
    defaults?.release()
    defaults = nil
    candidates = []
    (isLooking, answersLook, isDoubtful) = (false, false, false)
    registryListener?.remove()
    registryListener = nil
    coreListener?.remove()
    coreListener = nil
    if let registry { pw_proxy_destroy(registry) }
    registry = nil
    if let core { pw_core_disconnect(core) }
    core = nil
    graph = Graph()
    (isLost, hasSpoken, hasChanged, isAsking, isAnswered) = (false, false, false, false, false)
  }

  // MARK: Notes

  func noteChange() { hasChanged = true }

  /// Whether all that was asked for has been answered.
  var isQuiet: Bool { core != nil && !hasChanged && !isAsking }

  /// True once after each round trip that followed a change: all that belongs to the change has been told.
  ///
  /// One change comes as several messages (a node, then its ports); the round trip keeps them together.
  func hasSettled() -> Bool {
    guard core != nil else { return false }
    let settled = isAnswered
    isAnswered = false
    if settled, answersLook {
      isLooking = false
      answersLook = false
      if let reread {
        defaults?.release()
        defaults = reread
        self.reread = nil
      }
    }
    if hasChanged, !isAsking { ask() }
    return settled
  }

  private func ask() {
    guard let core else { return }
    hasChanged = false
    isAsking = true
    answersLook = isLooking
    question = voiced_core_sync(core, UInt32(PW_ID_CORE), 0)
  }

  /// The metadata object that holds the default source and wishes to move streams.
  func found(defaults id: UInt32) {
    candidates.append(id)
    guard defaults?.isPresent != true else { return }
    defaults = read(defaults: id)
  }

  private func read(defaults id: UInt32) -> DefaultMetadata? {
    guard let registry else { return nil }
    isLooking = true
    answersLook = false
    return DefaultMetadata(registry, id, until: defaults?.source) {
      [unowned(unsafe) self] in hasChanged = true
    }
  }

  /// A program or a device came or went: what was told of the defaults may not be all.
  ///
  /// As long as a program waits for its first look at metadata, PipeWire tells changes of it to nobody else, and never
  /// again to anybody if that program ends while it waits (`pending` in its module-metadata, 0.3.65). So the
  /// defaults are read again, half a second after such an event and once more for programs that took longer.
  func doubtDefaults() {
    isDoubtful = true
    if !doubt.isSet { doubt.set(milliseconds: 500) }
  }

  private func readDefaultsAgain() {
    if isDoubtful { doubt.set(milliseconds: 2000) }
    isDoubtful = false
    guard reread == nil, let defaults, defaults.isPresent else { return }
    reread = read(defaults: defaults.id)
    hasChanged = true
  }

  /// Something is gone from the server.
  func lost(_ id: UInt32) {
    if graph.isDeviceOrClient(id) { doubtDefaults() }
    if graph.remove(id) { hasChanged = true }
    defaults?.forget(id)
    reread?.forget(id)
    candidates.removeAll { $0 == id }
    if defaults?.id == id { lostDefaults() }
  }

  /// The session manager left and took its metadata along; what it said last stays valid meanwhile.
  private func lostDefaults() {
    defaults?.release()
    reread?.release()
    reread = nil
    hasChanged = true
    // The server forgets who waited for an answer from it, and would never read from us again.
    if isLooking {
      isLost = true
    } else if let other = candidates.last {
      defaults = read(defaults: other)
    }
  }

  /// Waits for the answer to a look at the defaults, two thirds of a second at most.
  ///
  /// A program that leaves while it looks makes PipeWire keep changes from everybody: see `doubtDefaults`.
  func endLook() {
    doubt.cancel()
    alarm.set(milliseconds: 660)
    while isLooking, !isLost, !alarm.didRing() {
      var readable = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      _ = poll(&readable, 1, 10)
      iterate()
      _ = hasSettled()
    }
  }
}
