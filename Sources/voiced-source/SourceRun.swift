import CLinux
import CVoiced
import Glibc
import Synchronization
import VoiceAudio
import VoiceCore
import VoiceIO

/// One running source: does what the daemon says on the control socket until it says stop.
final class SourceRun {
  private let loop: EventLoop
  private let host: PluginHost
  private let id: String
  private var control: ControlChannel?
  private var renderThread: RenderThread?
  private var isStarted = false
  private var isRecording = false

  /// Serves descriptors 3 (control), 4 (ring) and 5 (eventfd); returns the exit status.
  static func run(plugin: String, id: String) -> Int32 {
    let outlet = Outlet.packets(3)
    do {
      let loop = try EventLoop()
      let ring = try SoundRing(descriptor: 4, writable: true)
      ring.releaseDescriptor()
      let library = try Deadline.bound { try PluginLibrary(path: plugin) }
      let run = try SourceRun(loop: loop, outlet: outlet, library: library, id: id, ring: ring)
      return try run.serve()
    } catch let error as PluginError {
      outlet.send(.failed(errno: error.code, text: error.text))
    } catch let error as RingError {
      outlet.send(.failed(errno: -EINVAL, text: error.description))
    } catch let error as IOError {
      outlet.send(.failed(errno: -error.code, text: error.text))
    } catch {
      outlet.send(.failed(errno: -EINVAL, text: "\(error)"))
    }
    return EX_UNAVAILABLE
  }

  private init(
    loop: EventLoop, outlet: Outlet, library: PluginLibrary, id: String, ring: SoundRing
  ) throws {
    self.loop = loop
    self.id = id
    try library.check()
    let sources = Deadline.bound { library.sources }
    let flags = sources.first { pluginText($0.id) == id }?.flags ?? 0
    host = try PluginHost(loop: loop, outlet: outlet) { mainWake in
      let gate = UnsafeMutablePointer<AudioGate>.allocate(capacity: 1)
      gate.initialize(to: AudioGate(flags: flags, mainWake: mainWake, ring: ring, wake: 5))
      return gate
    }
    host.source = try Deadline.bound { try library.create(id, host: host.table) }
  }

  private func serve() throws -> Int32 {
    Deadline.onTermination(signal: host.wake)
    control = try ControlChannel(
      loop: loop, descriptor: 3, onMessage: { [unowned self] in obey($0) },
      onClose: { [loop] in loop.stop(EX_OK) })
    let status = loop.run()
    end()
    return status
  }

  private func obey(_ message: ControlMessage) {
    switch SourceCommand(message) {
    case .start(let target, let options): start(target: target, options: options)
    case .recording(let on):
      isRecording = on
      if isStarted { host.source?.recording(on) }
    case .stop: loop.stop(EX_OK)
    case nil: break
    }
  }

  private func start(target: String, options: String) {
    guard !isStarted, let source = host.source else { return }
    host.gate.pointee.isStarted.store(true, ordering: .releasing)
    let code = source.start(target: target, options: options)
    if code == -EPROTO { host.gate.pointee.note(.badAnswer) }
    guard code == 0 else {
      host.gate.pointee.isStarted.store(false, ordering: .releasing)
      return refuse(code)
    }
    isStarted = true
    if source.isOnHostClock, !startRendering(source) { return }
    if isRecording { source.recording(true) }
  }

  private func startRendering(_ source: PluginSource) -> Bool {
    guard let renderer = source.renderer(), let format = SoundFormat(renderer.format) else {
      refuse(-EPROTO)
      return false
    }
    host.gate.pointee.prepare(format)
    host.outlet.send(.format(rate: Int(format.rate), channels: format.channels))
    renderThread = RenderThread(renderer, format: format, places: host.places)
    if renderThread == nil { refuse(-EAGAIN) }
    return renderThread != nil
  }

  /// Tells why there will be no sound; the daemon ends this process when it has read it.
  private func refuse(_ code: Int32) {
    host.outlet.send(.failed(errno: code, text: startText(id: id, code: code)))
  }

  /// Gives everything back, within a second.
  private func end() {
    Deadline.end(within: 1)
    renderThread?.stop()
    if isStarted { host.source?.stop() }
    host.gate.pointee.isStarted.store(false, ordering: .releasing)
    host.tellMisdeeds()
    host.source?.destroy()
  }
}

/// What a source's refusal to start means to a person.
func startText(id: String, code: Int32) -> String {
  switch code {
  case -ENOENT: return "\(id) has no such target."
  case -EILSEQ: return "\(id) cannot decode the target as sound."
  case -EACCES: return "\(id) may not open the target."
  case -ENODEV: return "\(id) cannot reach its device or server."
  case -EINVAL: return "\(id) refuses the target or an option of it."
  case -ENOTSUP: return "\(id) cannot do that."
  case -EPROTO: return "\(id) breaks the plugin contract at start."
  default:
    let reason = strerror(-code).map { String(cString: $0) } ?? "error \(-code)"
    return "\(id) did not start: \(reason)."
  }
}
