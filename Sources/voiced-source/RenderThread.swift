import CVoiced
import Glibc
import Synchronization
import VoiceAudio
import VoiceCore

/// The host's own audio thread, for a source on the host's clock.
struct RenderThread {
  private let thread: pthread_t
  private let work: UnsafeMutablePointer<RenderWork>

  /// Starts rendering; `nil` when there is no thread to be had.
  init?(_ renderer: PluginRenderer, format: SoundFormat, places: UnsafeMutablePointer<HostPlaces>) {
    work = .allocate(capacity: 1)
    work.initialize(to: RenderWork(renderer, format: format, places: places))
    var thread = pthread_t()
    let code = pthread_create(
      &thread, nil,
      { argument in
        argument?.assumingMemoryBound(to: RenderWork.self).pointee.run()
        return nil
      }, work)
    guard code == 0 else { return nil }
    self.thread = thread
  }

  /// Waits until the thread has left `render`: a block, 33 ms, unless that hangs.
  func stop() {
    work.pointee.shouldStop.store(true, ordering: .relaxed)
    pthread_join(thread, nil)
  }
}

/// What the thread works with; never freed, as the thread of a plugin that hangs is not either.
private struct RenderWork: ~Copyable {
  /// Calls of `render` for one block before the rest of it is left out: fewer frames than asked
  /// for are legal, but a source that gives them one by one would keep the thread for ever.
  static let mostCalls = 64

  let renderer: PluginRenderer
  let places: UnsafeMutablePointer<HostPlaces>
  let shouldStop = Atomic<Bool>(false)
  let channels: Int
  let rate: UInt32
  /// One array a channel, of the longest block.
  let planes: UnsafeMutablePointer<UnsafePointer<Float>?>
  let arrays: UnsafeMutablePointer<UnsafeMutablePointer<Float>?>
  let moved: UnsafeMutablePointer<UnsafeMutablePointer<Float>?>

  init(
    _ renderer: PluginRenderer, format: SoundFormat, places: UnsafeMutablePointer<HostPlaces>
  ) {
    self.renderer = renderer
    self.places = places
    channels = format.channels
    rate = format.rate
    planes = .allocate(capacity: channels)
    arrays = .allocate(capacity: channels)
    moved = .allocate(capacity: channels)
    let longest = Int(rate) / Int(RenderClock.blocksPerSecond) + 1
    for channel in 0..<channels {
      let array = UnsafeMutablePointer<Float>.allocate(capacity: longest)
      array.initialize(repeating: 0, count: longest)
      arrays[channel] = array
      planes[channel] = UnsafePointer(array)
      moved[channel] = array
    }
  }

  /// Renders at the pace of time until told to stop or the material ends.
  func run() {
    let gate = places.pointee.gate
    var clock = RenderClock(rate: rate, origin: monotonicTime())
    var position: UInt64 = 0
    while true {
      sleep(until: clock.due)
      if shouldStop.load(ordering: .relaxed) { return }
      clock.wake(at: monotonicTime())
      let (frames, isEnd) = fill(clock.frames, position: position)
      position += UInt64(frames)
      if frames > 0 { gate.pointee.deliver(planes, frames: UInt32(frames), time: clock.time) }
      if isEnd {
        gate.pointee.flush()
        if !gate.pointee.hasEnded.exchange(true, ordering: .relaxed) {
          places.pointee.outlet.send(.ended(0))
        }
        return
      }
      clock.advance()
    }
  }

  /// Gets a block, or what there is of it, and whether the material has ended.
  private func fill(_ wanted: Int, position: UInt64) -> (frames: Int, isEnd: Bool) {
    var done = 0
    for _ in 0..<Self.mostCalls {
      for channel in 0..<channels { moved[channel] = arrays[channel]?.advanced(by: done) }
      let made = renderer.render(
        renderer.source, moved, UInt32(wanted - done), position + UInt64(done))
      if made == 0 { return (done, true) }
      if Int(made) > wanted - done { places.pointee.gate.pointee.note(.renderedTooMuch) }
      done += min(Int(made), wanted - done)
      if done == wanted { break }
    }
    return (done, false)
  }

  private func sleep(until time: UInt64) {
    var moment = timespec(
      tv_sec: Int(time / 1_000_000_000), tv_nsec: Int(time % 1_000_000_000))
    while clock_nanosleep(CLOCK_MONOTONIC, absolute, &moment, nil) == EINTR {}
  }
}

private let absolute: Int32 = 1  // TIMER_ABSTIME
