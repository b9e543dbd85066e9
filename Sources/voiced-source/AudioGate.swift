import CVoiced
import Glibc
import Synchronization
import VoiceAudio

/// What stands between a plugin's audio thread and the ring: every push is checked, then written.
///
/// All fields but `state` are atomics or constant, so that any thread may come at any time, also
/// one that must not; `state` belongs to the one thread that has set `isBusy`. Never freed: a
/// plugin's thread may come even after its `stop`.
struct AudioGate: ~Copyable {
  /// A device that starts again may do so on a new thread; until then only one is let in.
  static let handover: UInt64 = 200_000_000
  /// Times further from now are wrong: no device buffers that much, none sees the future.
  ///
  /// The second leaves room for a clock that is estimated.
  static let oldest: UInt64 = 10_000_000_000
  static let newest: UInt64 = 50_000_000
  /// 200 levels a second, and a little.
  static let levelSpacing: UInt64 = 4_500_000

  let flags: UInt32
  /// An eventfd that wakes the main thread.
  let mainWake: Int32
  let state: UnsafeMutablePointer<AudioState>

  let isStarted = Atomic<Bool>(false)
  let hasEnded = Atomic<Bool>(false)
  let wantsMain = Atomic<Bool>(false)
  let misdeeds = Atomic<UInt32>(0)
  let isBusy = Atomic<Bool>(false)
  /// The thread that delivers sound, 0 before the first push.
  let audioThread = Atomic<UInt>(0)
  let lastPush = Atomic<UInt64>(0)
  /// A format told and not taken up yet; and those that are out of use.
  let pending = Atomic<UnsafeMutablePointer<SoundFormat>?>(nil)
  let retired = Atomic<UnsafeMutablePointer<SoundFormat>?>(nil)

  init(flags: UInt32, mainWake: Int32, ring: SoundRing?, wake: Int32) {
    self.flags = flags
    self.mainWake = mainWake
    state = .allocate(capacity: 1)
    state.initialize(to: AudioState(ring: ring, wake: wake))
  }

  /// Notes a broken rule, for the main thread to log; real-time safe.
  func note(_ misdeed: Misdeed) {
    let before = misdeeds.bitwiseOr(misdeed.bit, ordering: .relaxed).oldValue
    if before & misdeed.bit == 0 { wakeMain() }
  }

  /// Real-time safe: one write to an eventfd.
  func wakeMain() {
    var one: UInt64 = 1
    _ = write(mainWake, &one, 8)
  }

  func callMain() {
    if !wantsMain.exchange(true, ordering: .acquiringAndReleasing) { wakeMain() }
  }

  /// `host.push`, for every thread that a plugin may call it on.
  func push(
    _ planes: UnsafePointer<UnsafePointer<Float>?>?, frames: UInt32, time: UInt64
  ) {
    if flags & UInt32(VOICED_LEVELS_ONLY) != 0 { return note(.soundOfLevelSource) }
    if flags & UInt32(VOICED_HOST_CLOCK) != 0 { return note(.pushOnHostClock) }
    deliver(planes, frames: frames, time: time)
  }

  /// A push that may come from the host's own audio thread.
  func deliver(
    _ planes: UnsafePointer<UnsafePointer<Float>?>?, frames: UInt32, time: UInt64
  ) {
    let now = monotonicTime()
    guard enter(now) else { return }
    defer { leave(now) }
    takeFormat()
    guard let format = state.pointee.format else { return note(.pushWithoutFormat) }
    guard frames > 0, frames <= VOICED_MAX_FRAMES else { return note(.badFrames) }
    guard let planes else { return note(.noChannel) }
    for channel in 0..<format.pointee.channels where planes[channel] == nil {
      return note(.noChannel)
    }
    let length = UInt64(frames) * 1_000_000_000 / UInt64(format.pointee.rate)
    let checked = check(time, now: now, length: length)
    state.pointee.lastTime = checked
    state.pointee.writer?.push(planes, frames: Int(frames), time: checked)
  }

  /// `host.push_level`.
  func pushLevel(_ level: Float, time: UInt64) {
    guard flags & UInt32(VOICED_LEVELS_ONLY) != 0 else { return note(.levelOfSoundSource) }
    let now = monotonicTime()
    let previous = lastPush.load(ordering: .relaxed)
    guard enter(now) else { return }
    defer { leave(now) }
    if previous != 0, now < previous &+ Self.levelSpacing { return note(.tooManyLevels) }
    let checked = check(time, now: now, length: 0)
    state.pointee.lastTime = checked
    state.pointee.writer?.pushLevel(level, time: checked)
  }

  /// Gets out what the converter holds back, at the end of the material; host's audio thread.
  func flush() {
    guard enter(monotonicTime()) else { return }
    defer { leave(monotonicTime()) }
    let latency = state.pointee.format?.pointee.converter?.latency ?? 0
    state.pointee.writer?.flush(frames: latency)
  }

  /// Lets one thread in at a time, the same one always.
  private func enter(_ now: UInt64) -> Bool {
    guard isStarted.load(ordering: .acquiring) else {
      note(.pushWhileStopped)
      return false
    }
    guard !hasEnded.load(ordering: .relaxed) else {
      note(.pushAfterEnd)
      return false
    }
    guard !isBusy.exchange(true, ordering: .acquiring) else {
      note(.pushOnSecondThread)
      return false
    }
    let thread = UInt(pthread_self())
    let usual = audioThread.load(ordering: .relaxed)
    if usual != thread {
      if usual != 0, now < lastPush.load(ordering: .relaxed) &+ Self.handover {
        isBusy.store(false, ordering: .releasing)
        note(.pushOnSecondThread)
        return false
      }
      audioThread.store(thread, ordering: .relaxed)
    }
    return true
  }

  private func leave(_ now: UInt64) {
    lastPush.store(now, ordering: .relaxed)
    isBusy.store(false, ordering: .releasing)
  }

  /// The time told, or the one at which the sound must have begun to be here now.
  private func check(_ time: UInt64, now: UInt64, length: UInt64) -> UInt64 {
    if time <= now &+ Self.newest, time &+ Self.oldest >= now, time >= state.pointee.lastTime {
      return time
    }
    note(.badTime)
    return max(now - min(length, now), state.pointee.lastTime)
  }

  /// Takes up a new format, if one was told; real-time safe, as the old one is freed elsewhere.
  private func takeFormat() {
    guard let new = pending.exchange(nil, ordering: .acquiringAndReleasing) else { return }
    if let old = state.pointee.format { retire(old) }
    state.pointee.format = new
    state.pointee.writer?.use(
      rate: new.pointee.rate, channels: new.pointee.channels,
      converter: new.pointee.converter?.converter)
  }

  private func retire(_ format: UnsafeMutablePointer<SoundFormat>) {
    var head = retired.load(ordering: .relaxed)
    while true {
      format.pointee.next = head
      let (done, now) = retired.compareExchange(
        expected: head, desired: format, ordering: .acquiringAndReleasing)
      if done { return }
      head = now
    }
  }

  /// Hands a format to the audio thread and frees what it no longer uses; any thread but that one.
  func prepare(_ format: SoundFormat) {
    let place = UnsafeMutablePointer<SoundFormat>.allocate(capacity: 1)
    place.initialize(to: format)
    if let missed = pending.exchange(place, ordering: .acquiringAndReleasing) {
      missed.pointee.converter?.free()
      missed.deallocate()
    }
    var next = retired.exchange(nil, ordering: .acquiringAndReleasing)
    while let format = next {
      next = format.pointee.next
      format.pointee.converter?.free()
      format.deallocate()
    }
  }
}

/// What only the thread inside the gate touches.
struct AudioState: ~Copyable {
  /// `nil` while the process only lists targets.
  var writer: RingWriter?
  var format: UnsafeMutablePointer<SoundFormat>?
  var lastTime: UInt64 = 0

  init(ring: SoundRing?, wake: Int32) {
    if let ring { writer = RingWriter(ring: ring, wake: wake) } else { writer = nil }
  }
}

/// CLOCK_MONOTONIC in ns; real-time safe, no system call.
func monotonicTime() -> UInt64 {
  var time = timespec()
  clock_gettime(CLOCK_MONOTONIC, &time)
  return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
}
