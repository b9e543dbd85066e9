import CPipeWire
import CVoiced

/// A source as the host sees it: its functions, and what stands behind them. [main]
final class Microphone {
  private let host: UnsafePointer<voiced_host>
  private let table: UnsafeMutablePointer<voiced_source>
  private var server: Server?
  private var capture: Capture?
  private var list: TargetList?
  private var attempts = 0
  private var lastStart: Int64 = 0

  init(_ host: UnsafePointer<voiced_host>) {
    self.host = host
    table = .allocate(capacity: 1)
    table.initialize(to: Microphone.functions())
    table.pointee.source = Unmanaged.passRetained(self).toOpaque()
  }

  var source: UnsafePointer<voiced_source> { UnsafePointer(table) }

  static func of(_ source: UnsafePointer<voiced_source>?) -> Microphone? {
    guard let data = source?.pointee.source else { return nil }
    return Unmanaged<Microphone>.fromOpaque(data).takeUnretainedValue()
  }

  // MARK: What the host asks

  /// -EINVAL for a target that says nothing; what is not there yet is waited for.
  func start(_ target: Text, _ options: Options) -> Int32 {
    guard capture == nil, let target = Target(target) else { return -EINVAL }
    let result = haveServer()
    guard result == 0, let server else { return result }
    capture = Capture(server, host, target, options, notBefore: lastStart)
    if server.core == nil {
      capture?.tell(isSure: true)
    } else {
      server.alarm.set(milliseconds: 300)
    }
    look()
    return 0
  }

  func record(_ isRecording: Bool) { capture?.record(isRecording) }

  /// The connection stays, for `target`; it holds no stream.
  func stop() {
    guard let capture else { return }
    capture.drop()
    lastStart = capture.lastStart
    self.capture = nil
  }

  /// One of the things to capture, by number: see `TargetList`.
  func target(_ index: UInt32, _ out: UnsafeMutablePointer<voiced_target>) -> Int32 {
    let result = haveServer()
    guard result == 0, let server else { return result }
    let list = self.list ?? TargetList(server)
    self.list = list
    return list.target(index, out)
  }

  func destroy() {
    stop()
    list?.release()
    list = nil
    if let server {
      server.endLook()
      _ = host.pointee.watch(host, server.descriptor, 0, 0)
      server.disconnect()
      server.destroy()
    }
    server = nil
    table.deinitialize(count: 1)
    table.deallocate()
    Unmanaged.passUnretained(self).release()
  }

  /// One round of the loop, then what it left to do.
  func isReadable() {
    guard let server else { return }
    server.iterate()
    if server.isLost { lose(server) }
    if server.alarm.didRing() { wake(server) }
    if server.hasSettled() { look() }
  }

  // MARK: The server

  private func haveServer() -> Int32 {
    if server != nil { return 0 }
    guard let made = Server() else { return -voiced_errno() }
    let result = host.pointee.watch(host, made.descriptor, 1, 0)
    guard result == 0 else {
      made.destroy()
      return result
    }
    server = made
    connect(made)
    return 0
  }

  private func connect(_ server: Server) {
    if server.connect() { return }
    // Four times a second at first, because a server that restarts is back soon, then once a second.
    server.alarm.set(milliseconds: attempts < 20 ? 250 : 1000)
    attempts += 1
  }

  private func lose(_ server: Server) {
    capture?.drop()
    list?.release()
    server.disconnect()
    capture?.tell(isSure: true)
    attempts = 0
    server.alarm.set(milliseconds: 250)
  }

  private func wake(_ server: Server) {
    if server.core == nil { return connect(server) }
    capture?.tell(isSure: true)
    capture?.forgive()
    look()
  }

  private func look() {
    guard capture?.look() == false, let server else { return }
    // Not put off by each thing that changes on a busy desktop.
    if !server.alarm.isSet { server.alarm.set(milliseconds: 1000) }
  }
}
