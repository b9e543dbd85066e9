import CLinux
import CVoiced
import Glibc
import Synchronization
import VoiceCore
import VoiceIO

/// The host's side of the plugin contract: the table of functions a plugin gets, on our loop.
///
/// Everything here is for the main thread; what other threads may call goes through `AudioGate`
/// and `Outlet`. Lives as long as the process.
final class PluginHost {
  /// Lines a second that a plugin may log; a flood is dropped.
  static let logLines = 20

  let loop: EventLoop
  let outlet: Outlet
  /// What the plugin holds; its `host` member leads to `places`.
  let table: UnsafeMutablePointer<voiced_host>
  let places: UnsafeMutablePointer<HostPlaces>
  private let mainThread = pthread_self()
  /// The eventfd that wakes the main thread.
  let wake: Int32
  private var wakeWatch: Watch?
  private var watches: [Int32: Watch] = [:]
  private var reported: UInt32 = 0
  private var linkedTarget: String??
  var source: PluginSource?

  var gate: UnsafeMutablePointer<AudioGate> { places.pointee.gate }

  /// `makeGate` gets the eventfd that wakes the main thread.
  init(
    loop: EventLoop, outlet: Outlet, makeGate: (Int32) -> UnsafeMutablePointer<AudioGate>
  ) throws(IOError) {
    self.loop = loop
    self.outlet = outlet
    wake = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))
    if wake < 0 { throw .last("make an eventfd") }
    table = .allocate(capacity: 1)
    places = .allocate(capacity: 1)
    places.initialize(to: HostPlaces(gate: makeGate(wake), outlet: outlet))
    table.initialize(to: hostTable(places))
    places.pointee.owner = Unmanaged.passUnretained(self)
    wakeWatch = try loop.watch(wake, read: true, write: false) { [weak self] _, _ in
      self?.serve()
    }
  }

  var isMainThread: Bool { pthread_equal(pthread_self(), mainThread) != 0 }

  /// What other threads asked of the main one.
  private func serve() {
    var count: UInt64 = 0
    _ = read(wake, &count, 8)
    if Deadline.hasBegun { loop.stop(EX_OK) }
    tellMisdeeds()
    if gate.pointee.wantsMain.exchange(false, ordering: .acquiringAndReleasing) {
      source?.onMain()
    }
  }

  /// Logs the rules that were broken since the last time, each once.
  func tellMisdeeds() {
    let new = gate.pointee.misdeeds.load(ordering: .relaxed) & ~reported
    reported |= new
    for misdeed in Misdeed.allCases where new & misdeed.bit != 0 {
      outlet.send(
        .log(
          severity: Int32(VOICED_LOG_PLUGIN_MISBEHAVING), text: "The plugin \(misdeed.text)."))
    }
  }

  /// `host.watch`.
  func watch(_ descriptor: Int32, read: Bool, write: Bool) -> Int32 {
    watches.removeValue(forKey: descriptor)?.cancel()
    guard read || write else { return 0 }
    guard descriptor >= 0, descriptor != wake else { return -EINVAL }
    do throws(IOError) {
      watches[descriptor] = try loop.watch(descriptor, read: read, write: write) {
        [weak self] readable, writable in
        self?.source?.onDescriptor(descriptor, readable: readable, writable: writable)
      }
      return 0
    } catch {
      return -error.code
    }
  }

  /// `host.linked`; told only when it changes.
  func linked(_ target: String?) {
    guard gate.pointee.isStarted.load(ordering: .relaxed) else {
      return gate.pointee.note(.toldWhileStopped)
    }
    guard linkedTarget != .some(target) else { return }
    linkedTarget = .some(target)
    outlet.send(.linked(target))
  }
}
