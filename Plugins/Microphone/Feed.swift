import CPipeWire
import CVoiced
import Synchronization

/// What the data thread needs to hand buffers to the host: memory of its own, no object, no lock, no allocation.
///
/// Made and freed on the main thread while no stream uses it.
struct Feed: ~Copyable {
  typealias Planes = UnsafeMutablePointer<UnsafePointer<Float>?>

  /// As many channels as PipeWire's audio format can carry (SPA_AUDIO_MAX_CHANNELS).
  static let mostChannels = 64

  private let host: UnsafePointer<voiced_host>
  /// Set by the main thread when the stream is linked anew: what it delivers first may be filler.
  private let isFresh: UnsafePointer<Atomic<Bool>>
  private let planes: Planes
  private let stream: OpaquePointer
  private var hasBegun = false
  private var skipped: UInt32 = 0
  private var isSkipping = false
  private var clock: FrameClock

  /// - Parameter start: ns that no buffer is said to begin before.
  init(
    _ host: UnsafePointer<voiced_host>, _ stream: OpaquePointer,
    isFresh: UnsafePointer<Atomic<Bool>>, notBefore start: Int64
  ) {
    self.host = host
    self.isFresh = isFresh
    clock = FrameClock(notBefore: start)
    self.stream = stream
    planes = .allocate(capacity: Feed.mostChannels)
    planes.initialize(repeating: nil, count: Feed.mostChannels)
  }

  deinit { planes.deallocate() }

  /// When the last buffer began; for whoever knows that the data thread has left.
  var lastStart: Int64 { clock.lastStart }

  /// Takes what the stream has and pushes it. [audio]
  mutating func process() {
    if !hasBegun {
      hasBegun = true
      Realtime.ask()
    }
    var time = pw_time()
    _ = pw_stream_get_time_n(stream, &time, MemoryLayout<pw_time>.size)
    let end = clock.end(cycle: time.now, now: Feed.now())
    while let buffer = pw_stream_dequeue_buffer(stream) {
      if let end, let spa = buffer.pointee.buffer { deliver(spa.pointee, end) }
      pw_stream_queue_buffer(stream, buffer)
    }
  }

  /// - Parameter end: ns until which the buffer was heard.
  private mutating func deliver(_ buffer: spa_buffer, _ end: Int64) {
    let channels = min(Int(buffer.n_datas), Feed.mostChannels)
    guard channels > 0, let datas = buffer.datas else { return }
    var frames = UInt32.max
    var isMarked = true
    for i in 0..<channels {
      guard let chunk = datas[i].chunk, let data = datas[i].data else { return }
      let offset = min(chunk.pointee.offset, datas[i].maxsize)
      let size = min(chunk.pointee.size, datas[i].maxsize - offset)
      planes[i] = UnsafeRawPointer(data + Int(offset)).assumingMemoryBound(to: Float.self)
      frames = min(frames, size / 4)
      let marks = SPA_CHUNK_FLAG_EMPTY | SPA_CHUNK_FLAG_CORRUPTED
      isMarked = isMarked && chunk.pointee.flags & Int32(marks) != 0
    }
    guard frames > 0, !isFiller(channels, frames, isMarked) else { return }
    host.pointee.push(host, UnsafePointer(planes), frames, clock.start(of: frames, end: end))
  }

  /// CLOCK_MONOTONIC in ns: no system call, the kernel keeps it in the process's memory.
  private static func now() -> Int64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
  }

  /// Whether the buffer is what a server delivers before a fresh link has sound: marked or exact zeros.
  ///
  /// At most 100 ms or three buffers of it: after that, silence is silence.
  private mutating func isFiller(_ channels: Int, _ frames: UInt32, _ isMarked: Bool) -> Bool {
    if isFresh.pointee.exchange(false, ordering: .acquiring) { (isSkipping, skipped) = (true, 0) }
    guard isSkipping else { return false }
    skipped += frames
    if skipped > max(4800, 3 * frames) || !(isMarked || isZero(channels, frames)) {
      isSkipping = false
    }
    return isSkipping
  }

  private func isZero(_ channels: Int, _ frames: UInt32) -> Bool {
    for i in 0..<channels {
      guard let plane = planes[i] else { continue }
      for frame in 0..<Int(frames) where plane[frame] != 0 { return false }
    }
    return true
  }
}
