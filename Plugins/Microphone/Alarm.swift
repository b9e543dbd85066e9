import CPipeWire

/// A timer that rings once, on a `pw_loop`. [main]
///
/// It is there only while it runs: at rest it would be one descriptor more.
final class Alarm {
  private let loop: UnsafeMutablePointer<pw_loop>
  private var timer: UnsafeMutablePointer<spa_source>?
  private var hasRung = false

  init(_ loop: UnsafeMutablePointer<pw_loop>) { self.loop = loop }

  var isSet: Bool { timer != nil }

  /// Lets it ring that many milliseconds from now, instead of when it was set to before.
  func set(milliseconds delay: Int) {
    hasRung = false
    if timer == nil {
      timer = voiced_loop_add_timer(
        loop,
        { data, _ in
          guard let data else { return }
          Unmanaged<Alarm>.fromOpaque(data).takeUnretainedValue().hasRung = true
        }, Unmanaged.passUnretained(self).toOpaque())
    }
    guard let timer else { return }
    var time = timespec(tv_sec: delay / 1000, tv_nsec: delay % 1000 * 1_000_000)
    _ = voiced_loop_update_timer(loop, timer, &time)
  }

  /// True once after it rang; not to be asked from inside a callback of the loop.
  func didRing() -> Bool {
    guard hasRung else { return false }
    cancel()
    return true
  }

  /// Not from inside a callback of the loop.
  func cancel() {
    if let timer { voiced_loop_destroy_source(loop, timer) }
    timer = nil
    hasRung = false
  }
}
