import VoiceCore
import VoiceIO

/// What the daemon's objects share.
final class Services {
  let loop: EventLoop
  let bus: Bus
  let folder: StateFolder
  let configuration: Configuration
  let catalog: PluginCatalog
  let pool: SourcePool
  let takeHost: TakeHost
  let sourceHost: SourceHost
  let library: TakeLibrary
  let counter: TakeCounter
  let access: AccessSwitch
  let media: MediaPause
  let watches: PeerWatches
  var gate: Gate

  init(
    loop: EventLoop, bus: Bus, folder: StateFolder, configuration: Configuration,
    catalog: PluginCatalog, pool: SourcePool, takeHost: TakeHost, sourceHost: SourceHost,
    library: TakeLibrary, counter: TakeCounter
  ) {
    self.loop = loop
    self.bus = bus
    self.folder = folder
    self.configuration = configuration
    self.catalog = catalog
    self.pool = pool
    self.takeHost = takeHost
    self.sourceHost = sourceHost
    self.library = library
    self.counter = counter
    access = AccessSwitch(folder: folder)
    media = MediaPause(bus: bus)
    watches = PeerWatches(bus: bus)
    gate = Gate(catalog: catalog, access: access)
  }

  /// Runs `then` once it is known whether there is a source of that id; "" waits for all of them.
  func withCatalog(_ id: String, _ then: @escaping () -> Void) {
    if let source = catalog.source(id), catalog.isCurrent(source) { return then() }
    catalog.refresh(for: id, then: then)
  }
}
