import CAV
import CVoiced

/// The plugin's side of one source: what the host calls, on which thread, is written in the header.
///
/// Lives at a fixed address from `create` to `destroy`; the audio thread reads `ring` alone.
struct FileSource {
  /// The tables of functions that the host is given.
  let source: UnsafeMutablePointer<voiced_source>
  let renderer: UnsafeMutablePointer<voiced_render>
  let log: Log
  private(set) var ring: UnsafeMutablePointer<SoundRing>?
  private var player: Player?

  init(_ host: UnsafePointer<voiced_host>) {
    log = Log(host: host)
    source = .allocate(capacity: 1)
    renderer = .allocate(capacity: 1)
  }

  mutating func start(_ target: UnsafePointer<CChar>?, _ options: UnsafePointer<CChar>?) -> Int32 {
    guard player == nil else { return -EBUSY }
    guard let target else { return -ENOENT }
    do {
      let options = try PlayOptions(options)
      let player = try Player.open(path: target, options: options, log: log)
      ring = player.ring
      self.player = player
    } catch {
      log.error(error.text)
      return error.code
    }
    log.host.pointee.linked?(log.host, target)
    return 0
  }

  mutating func stop() {
    ring = nil
    player?.end()
    player = nil
  }

  var format: voiced_format {
    voiced_format(
      size: UInt32(MemoryLayout<voiced_format>.size), rate: UInt32(Sound.rate),
      channels: UInt32(ring?.pointee.channels ?? 2))
  }
}
