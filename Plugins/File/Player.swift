import CAV

/// Decodes a file ahead of the audio thread, on a thread of its own.
///
/// Made and ended on the main thread. Between the two the decoder thread alone touches the passes.
final class Player {
  let ring: UnsafeMutablePointer<SoundRing>
  private let file: AudioFile
  private let options: PlayOptions
  private let log: Log
  private let quit: UnsafeMutablePointer<StopFlag>
  /// Ends the decoder thread's wait for room in the ring.
  private let wake: Int32
  private var thread: pthread_t?
  private var pass: Pass?
  private var slice: Pass.Slice?
  private var offset = 0
  private var isFirstPass = true
  private let isAnalysing: Bool

  /// Frames of sound kept ahead: 2.7 s, beyond eight channels a quarter of it.
  private static let ahead = 131_072
  /// What is decoded before `start` answers, in frames, and the longest that this may take, in ns.
  private static let prepared = 24_000
  private static let patience: UInt64 = 400_000_000
  /// Frames of the shortest loop, 10 ms: below that the file would be opened without a pause.
  private static let shortestLoop = 480

  /// Opens the file and decodes its first sound, so that what is no audio is known at once.
  ///
  /// A function, because an initialiser of a class that throws leaks the half-made object in Embedded
  /// Swift.
  static func open(
    path: UnsafePointer<CChar>, options: PlayOptions, log: Log
  ) throws(Refusal) -> Player {
    // A forged header must not take the machine's memory: the longest honest block is an index of a
    // day-long m4a.
    av_max_alloc(128 << 20)
    av_log_set_level(AV_LOG_QUIET)
    let file = try AudioFile.open(path: path)
    let quit = UnsafeMutablePointer<StopFlag>.allocate(capacity: 1)
    quit.initialize(to: StopFlag())
    let begun: Beginning
    do {
      begun = try begin(file, options, quit)
    } catch {
      quit.deinitialize(count: 1)
      quit.deallocate()
      throw error
    }
    let player = Player(file, options, log, quit, begun)
    guard player.wake >= 0 else {
      throw Refusal(cause: .resource(lastError), text: "no descriptor is left for the decoder")
    }
    log.info(begun.opening)
    player.prepare()
    try player.spawn()
    return player
  }

  private init(
    _ file: AudioFile, _ options: PlayOptions, _ log: Log,
    _ quit: UnsafeMutablePointer<StopFlag>, _ begun: Beginning
  ) {
    let wanted = max(2, begun.channels)
    ring = .allocate(capacity: 1)
    ring.initialize(
      to: SoundRing(channels: wanted, capacity: wanted > 8 ? Self.ahead / 4 : Self.ahead))
    wake = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))
    (self.file, self.options, self.log, self.quit) = (file, options, log, quit)
    (pass, slice, isAnalysing) = (begun.pass, begun.slice, begun.isAnalysing)
  }

  /// Ends the decoder thread, which holds the player as long as it runs: call it before letting go.
  ///
  /// The ring must not be read any more.
  func end() {
    quit.pointee.set()
    eventfd_write(wake, 1)
    if let thread { pthread_join(thread, nil) }
    thread = nil
    let late = ring.pointee.lateFrames
    if late > 0 { log.warning("the decoder was late: \(Report.seconds(late)) of silence put in") }
  }

  deinit {
    if wake >= 0 { close(wake) }
    ring.deinitialize(count: 1)
    ring.deallocate()
    quit.deinitialize(count: 1)
    quit.deallocate()
  }

  private struct Beginning {
    /// The line that tells what was opened.
    let opening: String
    let channels: Int
    let pass: Pass
    let slice: Pass.Slice?
    let isAnalysing: Bool
  }

  private static func begin(
    _ file: AudioFile, _ options: PlayOptions, _ quit: UnsafePointer<StopFlag>
  ) throws(Refusal) -> Beginning {
    var hasStream = false
    for isAnalysing in [false, true] {
      let first = try Pass.open(file, start: 0, analysing: isAnalysing, quit: quit)
      let slice = first.next()
      // A header with nothing behind it is a recording of no length, if it is plainly one of sound.
      let isEmpty = first.findings.packets == 0 && first.decoder?.bytesPerSample ?? 0 > 0
      guard slice != nil || isEmpty else {
        hasStream = first.demuxer.parameters != nil
        continue
      }
      let isWhole = options.start == 0 || slice == nil
      let pass =
        isWhole
        ? first : try Pass.open(file, start: options.start, analysing: isAnalysing, quit: quit)
      return Beginning(
        opening: Report.opening(first), channels: first.findings.channels, pass: pass,
        slice: isWhole ? slice : nil, isAnalysing: isAnalysing)
    }
    throw .notAudio(
      hasStream ? "nothing in the file decodes to sound" : "the file has no audio stream")
  }

  private enum Progress {
    case moved
    case full
    case finished
  }

  /// Moves one piece of sound on.
  private func advance() -> Progress {
    guard let slice else {
      self.slice = next()
      offset = 0
      guard self.slice == nil else { return .moved }
      ring.pointee.finish()
      return .finished
    }
    let count = ring.pointee.write(slice, from: offset)
    offset += count
    guard offset == slice.frames else { return count > 0 ? .moved : .full }
    self.slice = nil
    return .moved
  }

  /// The next piece, of the next pass when the file is looped.
  private func next() -> Pass.Slice? {
    while let pass, !quit.pointee.isSet {
      if let slice = pass.next() { return slice }
      if isFirstPass { report(pass) }
      isFirstPass = false
      let isWorthAnother = options.loop && pass.findings.framesGiven >= Self.shortestLoop
      self.pass = isWorthAnother ? again() : nil
    }
    return nil
  }

  private func again() -> Pass? {
    try? Pass.open(file, start: options.start, analysing: isAnalysing, quit: quit)
  }

  private func report(_ pass: Pass) {
    if quit.pointee.isSet { return }
    for line in Report.warnings(pass, file) { log.warning(line) }
    log.info(Report.closing(pass))
  }

  /// Decodes the head on the calling thread, so that the first frame asked for is there.
  private func prepare() {
    let deadline = now() + Self.patience
    while ring.pointee.fill < Self.prepared, now() < deadline, advance() == .moved {}
  }

  private func spawn() throws(Refusal) {
    var all = sigset_t()
    var before = sigset_t()
    sigfillset(&all)
    // Signals are the host's.
    pthread_sigmask(SIG_BLOCK, &all, &before)
    defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
    var handle = pthread_t()
    let result = pthread_create(&handle, nil, decode, Unmanaged.passUnretained(self).toOpaque())
    guard result == 0 else {
      throw Refusal(cause: .resource(result), text: "no thread is left for the decoder")
    }
    thread = handle
  }

  /// The decoder thread's work.
  fileprivate func run() {
    while !quit.pointee.isSet {
      switch advance() {
      case .moved: continue
      case .full: wait()
      case .finished: return
      }
    }
  }

  /// Waits until about half of the ring has been played.
  private func wait() {
    let surplus = ring.pointee.fill - ring.pointee.capacity / 2
    let milliseconds = max(5, min(500, surplus * 1000 / Int(Sound.rate)))
    var event = pollfd(fd: wake, events: Int16(POLLIN), revents: 0)
    _ = poll(&event, 1, Int32(milliseconds))
  }

  private func now() -> UInt64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
  }
}

private func decode(_ player: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
  guard let player else { return nil }
  Unmanaged<Player>.fromOpaque(player).takeUnretainedValue().run()
  return nil
}
