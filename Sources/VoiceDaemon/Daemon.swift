import CLinux
import Glibc
import VoiceCore
package import VoiceIO

/// The whole daemon on one event loop: wires the objects, and ends them in order.
package final class Daemon {
  /// Seconds within which takes are closed and kept when the daemon is told to end.
  private static let shutdownPatience = 4.0
  /// Seconds that the machine is kept from sleeping at most; logind waits for 5.
  private static let sleepPatience = 4.0
  /// Seconds for which the sleep is expected after it was told: other programs may hold it up for 5,
  /// and a slow disk for longer.
  private static let sleepWatch = 60.0

  private let loop: EventLoop
  private let bus: Bus
  private let children: Children
  private let services: Services
  private let tree: ObjectTree
  private let shared: Recorder
  private let manager: Manager
  private var signals: Signals?
  private var system: SystemEvents?
  private var shutdownTimer: LoopTimer?
  private var sleepTimer: LoopTimer?
  private var rescueTimer: LoopTimer?
  /// How the program ends, once it is to.
  private var endStatus: Int32?

  /// Connects to the session bus and takes the name; programs are found beside this one.
  package init(loop: EventLoop, programs: ProgramFolder) throws {
    self.loop = loop
    // From here on they wait until takes can be closed.
    Signals.hold([SIGTERM, SIGINT, SIGHUP])
    let base = BaseFolders()
    let environment = ProcessEnvironment.all
    let folder = StateFolder(path: base.state + "/voiced")
    let configuration = readConfiguration(base.config + "/voiced/voiced.conf")
    children = try Children(loop: loop)
    bus = try Bus(loop: loop, address: .session)
    // Before anything in the state folder is touched: it may be another daemon's.
    try bus.requestName(WireNames.bus)
    let sourceHost = SourceHost(
      loop: loop, children: children, program: programs.path(of: "voiced-source"),
      environment: environment)
    let takeHost = TakeHost(
      children: children, program: programs.path(of: "voiced-take"), environment: environment)
    let catalog = PluginCatalog(
      host: sourceHost,
      folders: PluginFolders(
        path: environment["VOICED_PLUGIN_PATH"], extra: configuration.plugins,
        executable: programs.folder, home: base.home))
    folder.make()
    let library = TakeLibrary(folder: folder, retention: configuration.retention)
    // Armed for the moment at which the oldest file's time is over: nothing wakes up before.
    let expiry = loop.timer { [weak library] in library?.expireWaiting() }
    library.onNextExpiry = { expiry.start(after: $0 + 1) }
    let found = library.load()
    services = Services(
      loop: loop, bus: bus, folder: folder, configuration: configuration, catalog: catalog,
      pool: SourcePool(loop: loop, host: sourceHost, configuration: configuration),
      takeHost: takeHost, sourceHost: sourceHost, library: library,
      counter: TakeCounter(folder: folder, kept: library.highest))
    tree = ObjectTree(bus: bus, clients: Clients(bus: bus))
    shared = Recorder(path: WireNames.recorderPath, owner: nil, services: services)
    manager = Manager(services: services, tree: tree, shared: shared)
    tree.add(shared)
    tree.add(manager)
    bus.onDisconnect = { [weak self] in
      log("the session bus is gone; takes are closed and kept")
      self?.end(status: 1)
    }
    signals = try Signals(loop: loop, [SIGTERM, SIGINT, SIGHUP]) { [weak self] _ in
      self?.end(status: 0)
    }
    ResidentMemory.trim()
    for kept in found { manager.tellFound(kept) }
    rescueTimer = loop.timer { [weak self] in self?.rescueBusy() }
    if library.hasBusySpools { rescueTimer?.start(after: 1) }
    catalog.refresh {}
    system = SystemEvents(
      loop: loop,
      onSleep: { [weak self] done in self?.sleep(then: done) },
      onWake: { [weak self] in
        // The inhibitor is for the next sleep now, whatever the last one still waited for.
        self?.sleepTimer?.cancel()
        // The loop's timers stood still meanwhile.
        self?.services.library.expireWaiting()
      },
      onLock: { [weak self] in
        guard let self, services.configuration.lockScreen else { return }
        interrupt()
      })
  }

  private func interrupt() {
    for session in manager.sessions { session.handle(.interruption(nil)) }
  }

  /// Finds what take processes of an earlier daemon were still closing at the start.
  private func rescueBusy() {
    for kept in services.library.rescueLeftOvers() { manager.tellFound(kept) }
    if services.library.hasBusySpools { rescueTimer?.start(after: 1) }
  }

  /// Closes what runs before the machine sleeps, which waits until that is on the disk.
  ///
  /// Also what begins while it is still awake, held by us or by other programs after us; what begins
  /// after it has slept goes on.
  private func sleep(then done: @escaping () -> Void) {
    let (started, slept) = (EventLoop.now, EventLoop.slept)
    var isHeld = true
    let timer = loop.timer { [weak self] in
      guard let self else { return }
      // Also once after the sleep, for what began just before it.
      interrupt()
      guard EventLoop.slept < slept + 100_000_000 else { return }
      let waited = Double(EventLoop.now - started) / 1e9
      if isHeld, waited > Self.sleepPatience || manager.isClosed {
        isHeld = false
        done()
      }
      if waited < Self.sleepWatch { sleepTimer?.start(after: isHeld ? 0.01 : 0.05) }
    }
    sleepTimer = timer
    timer.start(after: 0)
  }

  /// Closes and keeps every take, then ends the loop; at the latest after `shutdownPatience`.
  ///
  /// Who is told to end while the bus goes, as at a logout, has done what it was told: that is
  /// status 0, whichever comes first.
  private func end(status: Int32) {
    let isEnding = endStatus != nil
    endStatus = min(endStatus ?? status, status)
    guard !isEnding else { return }
    services.gate.isClosed = true
    manager.closeAll("shutdown")
    for session in manager.sessions { session.close() }
    let started = EventLoop.now
    let timer = loop.timer { [weak self] in
      guard let self else { return }
      let isOver = Double(EventLoop.now - started) / 1e9 > Self.shutdownPatience
      guard children.running.isEmpty || isOver else {
        shutdownTimer?.start(after: 0.01)
        return
      }
      for child in children.running { child.signal(SIGKILL) }
      children.killStrays()
      bus.flush(atMost: 0.2)
      loop.stop(endStatus ?? status)
    }
    shutdownTimer = timer
    timer.start(after: 0.01)
  }
}

/// The user's configuration; what is wrong in it is logged, and the rest counts.
private func readConfiguration(_ path: String) -> Configuration {
  let file = ConfigurationFile.file(at: path)
  for warning in file.warnings {
    log("\(path):\(warning.line > 0 ? "\(warning.line):" : "") \(warning.text)")
  }
  return file.configuration
}

/// Where the programs of this package are.
package struct ProgramFolder {
  package let folder: String

  /// The folder of the running program.
  package init() {
    var buffer = [CChar](repeating: 0, count: 4096)
    let length = readlink("/proc/self/exe", &buffer, buffer.count - 1)
    let path = String(
      decoding: buffer.prefix(max(0, length)).map { UInt8(bitPattern: $0) }, as: UTF8.self)
    folder = String(path[..<(path.lastIndex(of: "/") ?? path.startIndex)])
  }

  /// A program beside the running one, or in the package's own folder when installed.
  func path(of program: String) -> String {
    let places = [folder, folder + "/../libexec/voiced", folder + "/../lib/voiced"]
    for place in places where access(place + "/" + program, X_OK) == 0 {
      return place + "/" + program
    }
    return folder + "/" + program
  }
}
