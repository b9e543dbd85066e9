import CPipeWire
import CVoiced

/// A source as the host sees it: its functions, and what stands behind them. [main]
final class Microphone {
  private let host: UnsafePointer<voiced_host>
  private let table: UnsafeMutablePointer<voiced_source>
  private var server: Server?
  private var capture: Capture?
  private var attempts = 0

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
    guard let target = Target(target) else { return -EINVAL }
    let result = haveServer()
    guard result == 0, let server else { return result }
    capture = Capture(server, host, target, options)
    settle(isDue: true)
    return 0
  }

  func record(_ isRecording: Bool) {
    capture?.record(isRecording)
  }

  /// The connection stays for `target`; it holds no stream.
  func stop() {
    capture?.drop()
    capture = nil
  }

  func destroy() {
    stop()
    if let server {
      _ = host.pointee.watch(host, server.descriptor, 0, 0)
      server.disconnect()
      server.destroy()
    }
    server = nil
    table.deinitialize(count: 1)
    table.deallocate()
    Unmanaged.passUnretained(self).release()
  }

  func isReadable() {
    server?.iterate()
    settle(isDue: false)
  }

  // MARK: What has to be done after each round of the loop

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

  private func settle(isDue: Bool) {
    guard let server else { return }
    if server.isLost {
      capture?.drop()
      server.disconnect()
      capture?.tell()
      attempts = 0
      retry(server)
    }
    if server.didWake(), server.core == nil { connect(server) }
    let hasSettled = server.hasSettled()
    if hasSettled || isDue { capture?.look() }
  }

  private func connect(_ server: Server) {
    if !server.connect() { retry(server) }
  }

  /// There is no server: four times a second at first, because one that restarts is back soon, then once a second.
  private func retry(_ server: Server) {
    server.wake(afterMilliseconds: attempts < 20 ? 250 : 1000)
    attempts += 1
  }
}
