import Glibc
import VoiceCore
import VoiceIO

/// `vctl record`: one take, from its beginning to its file.
final class RecordCommand {
  static func run(_ line: Invocation, isUTF8: Bool) throws(Failure) {
    var options = try options(of: line)
    if let target = line.options["output"] {
      do throws(FileMoveError) {
        try FileMove.check(target, replacing: line.has("force"))
      } catch { throw Failure(.file, error.text(of: target)) }
    }
    let daemon = try Daemon()
    if let target = line.options["target"] {
      var source = line.options["source"]
      if source == nil { source = try daemon.all(of: Daemon.recorder)["Source"]?.text }
      options["target"] = .string(target.target(of: source ?? ""))
    }
    let command = try RecordCommand(daemon, glyphs: isUTF8 ? .blocks : .ascii)
    var recording = try command.record(options)
    try recording.move(by: line)
    try recording.tell(asJson: line.has("json"))
  }

  /// What `Begin` is asked for.
  private static func options(of line: Invocation) throws(Failure) -> [String: BusValue] {
    var options: [String: BusValue] = ["application": .string("vctl")]
    if let format = try format(of: line) { options["format"] = .string(format.rawValue) }
    if let seconds = try line.number("max", in: 1...1e9) { options["maximum"] = .double(seconds) }
    if let seconds = try line.number("auto-stop", in: 0...1e9) {
      options["auto-stop"] = .double(seconds)
    }
    if let source = line.options["source"] {
      options["source"] = .string(source)
      // The recorder's own target belongs to its own source.
      options["target"] = .string("")
    }
    return try options.merging(line.playback()) { $1 }
  }

  /// The format that the command line names, by word or by the file's ending; `nil` is the daemon's.
  static func format(of line: Invocation) throws(Failure) -> Format? {
    if let word = line.options["format"] { return Format(rawValue: word) }
    guard let path = line.options["output"] else { return nil }
    let name = path.split(separator: "/", omittingEmptySubsequences: false).last ?? ""
    guard let dot = name.lastIndex(of: "."), dot != name.startIndex else { return nil }
    switch name[name.index(after: dot)...].lowercased() {
    case "m4a", "mp4": return .m4a
    case "ogg", "opus", "oga": return .opus
    case "flac": return .flac
    case "wav": return .wav16k
    case let ending:
      throw Failure(
        .usage,
        "There is no format for .\(ending.plain) files; name FILE .m4a, .ogg, .flac or"
          + " .wav, or say --format.")
    }
  }

  private let daemon: Daemon
  private let glyphs: Glyphs
  private var meter: TerminalMeter?
  /// Where there is no meter.
  private var keyboard: Keyboard?
  private var state = RecorderState()
  private var clock = RunningClock()
  private var track = BarTrack(period: WatchMeter.period, capacity: 400)
  private var take: UInt32 = 0
  /// The take has been asked to end, so that a second Ctrl-C means "leave".
  private var isEnding = false
  private var failure: Failure?

  private init(_ daemon: Daemon, glyphs: Glyphs) throws(Failure) {
    self.daemon = daemon
    self.glyphs = glyphs
  }

  private func record(_ options: [String: BusValue]) throws(Failure) -> Recording {
    let end = TakeEnd(daemon)
    let follower = RecorderFollower(daemon) { [weak self] in self?.receive($0) }
    // As a view: should this program be killed, the take is stopped and kept.
    _ = try daemon.call("Attach", of: Daemon.recorder)
    take = try daemon.verb("Begin", [.dictionary(options)])
    guard take > 0 else {
      throw Failure(
        .notDone,
        "Another recording is running or waits to be sent; \"vctl send\" or"
          + " \"vctl cancel\" ends it.")
    }
    state = RecorderState(isOnline: true, phase: "locked", take: take)
    let signals = try WatchCommand.signals(daemon.loop) { [weak self] in self?.handle($0) ?? false }
    follower.start()
    try openMeter()
    defer {
      meter?.close()
      keyboard?.close()
    }
    let ending = try withExtendedLifetime((follower, signals)) { () throws(Failure) in
      try end.wait(for: take, deadline: .infinity)
    }
    if let failure { throw failure }
    guard let ending else {
      throw Failure(
        .notDone, "Left before the recording was ready; \"vctl takes\" lists it when it is.")
    }
    meter?.close()
    return try Recording(ending)
  }

  private func openMeter() throws(Failure) {
    guard TerminalMeter.isPossible(on: STDERR_FILENO) else { return openKeyboard() }
    let meter = try TerminalMeter(
      daemon.loop, extent: .line, glyphs: glyphs, onKey: { [weak self] in self?.typed($0) },
      onGone: { _ in })
    meter.scene = { [weak self] in self?.scene() ?? Scene(mark: " ", title: "") }
    meter.animate(true)
    self.meter = meter
  }

  private func openKeyboard() {
    keyboard = Keyboard(daemon.loop) { [weak self] in self?.typed($0) }
  }

  private func typed(_ key: UInt8) {
    if key == UInt8(ascii: "\n") || key == UInt8(ascii: "\r") { send() }
  }

  private func handle(_ signal: Int32) -> Bool {
    switch signal {
    case SIGINT, SIGTERM, SIGHUP, SIGQUIT:
      if isEnding { daemon.loop.stop(0) } else { send() }
      return true
    default:
      if let meter { return meter.handle(signal) }
      if signal == SIGTSTP {
        // It may go on in the background, where nothing may be read.
        keyboard?.close()
        kill(getpid(), SIGSTOP)
        openKeyboard()
      }
      return true
    }
  }

  /// Ends the take; its end is told by a signal.
  private func send() {
    guard !isEnding else { return }
    isEnding = true
    daemon.bus.call(
      destination: Daemon.name, path: Daemon.recorder.path, interface: Daemon.recorder.name,
      member: "Send", timeout: Daemon.deadline
    ) { [weak self] result in
      guard case .failure(let failure) = result, let self else { return }
      self.failure = Failure(failure)
      daemon.loop.stop(0)
    }
  }

  private func receive(_ event: RecorderEvent) {
    state.apply(event)
    clock.set(state, now: EventLoop.now)
    if case .level(let level, let elapsed) = event, state.isRecording {
      track.note(level, at: elapsed)
    }
    // Cut off by an interruption: nobody else will ask for what there is.
    if state.phase == "stopped", state.take == take { send() }
  }

  private func scene() -> Scene {
    let elapsed = clock.seconds(now: EventLoop.now)
    if state.isRecording, elapsed > 0 { track.advance(to: elapsed) }
    var scene = Scene(state, elapsed: elapsed, bars: track.bars, glyphs: glyphs)
    if scene.note.isEmpty { scene.note = isEnding ? "finishing" : "Enter ends" }
    return scene
  }
}
