import Glibc
import VoiceCore
import VoiceIO

/// `vctl monitor`: a lease on a source's level, shown for as long as the program runs.
final class MonitorCommand {
  static func run(_ line: Invocation, isUTF8: Bool) throws(Failure) -> ExitCode {
    let rate = try line.number("rate", in: 1...60) ?? 30
    let glyphs = isUTF8 && !line.has("ascii") ? Glyphs.blocks : .ascii
    let daemon = try Daemon()
    let command = MonitorCommand(
      daemon, glyphs: glyphs, rate: UInt32(rate), source: line.operands.first,
      target: line.operands.count > 1 ? line.operands[1].target(of: line.operands[0]) : nil,
      playback: try line.playback())
    // The first lease is asked for at once, so that what is wrong with it is told as an error.
    try command.open()
    try command.openOutput(asJson: line.has("json"))
    return try command.serve()
  }

  private let daemon: Daemon
  private let glyphs: Glyphs
  private let rate: UInt32
  /// How the source is to play, as options of `OpenMonitor`.
  private let playback: [String: BusValue]
  private var lease: String?
  /// Empty until the recorder has been asked for its own.
  private var source: String
  private var target: String
  private var linked = ""
  private var notice: String?
  private var level = 0.0
  private var meter: TerminalMeter?
  private var channel: OutputChannel?
  private var isJson = false
  private var track = BarTrack(period: WatchMeter.period, capacity: 600)
  private let began = EventLoop.now
  private var failure: Failure?

  private init(
    _ daemon: Daemon, glyphs: Glyphs, rate: UInt32, source: String?, target: String?,
    playback: [String: BusValue]
  ) {
    self.daemon = daemon
    self.glyphs = glyphs
    self.rate = rate
    self.playback = playback
    self.source = source ?? ""
    self.target = target ?? ""
  }

  /// Opens the lease.
  private func open() throws(Failure) {
    if source.isEmpty {
      let recorder = try daemon.all(of: Daemon.recorder)
      source = recorder["Source"]?.text ?? ""
      target = recorder["Target"]?.text ?? ""
    }
    let options: [String: BusValue] = [
      "source": .string(source), "target": .string(target), "rate": .uint32(rate),
      "application": .string("vctl"), "reason": .string("monitor"),
    ]
    let answer = try daemon.call(
      "OpenMonitor", of: Daemon.manager, [.dictionary(options.merging(playback) { $1 })])
    lease = answer.first?.text
    guard let lease else { return }
    do throws(Failure) {
      let properties = try daemon.all(of: .init(path: lease, name: WireNames.monitor))
      linked = properties["LinkedTarget"]?.text ?? ""
    } catch {
      // The lease of a source that ended at once is gone; its "Closed" waits to be heard.
      guard error.status == .refused else { throw error }
    }
  }

  private func openOutput(asJson: Bool) throws(Failure) {
    isJson = asJson
    let loop = daemon.loop
    if !asJson, TerminalMeter.isPossible(on: STDOUT_FILENO) {
      let meter = try TerminalMeter(
        loop, extent: .screen, glyphs: glyphs,
        onKey: { if $0 == UInt8(ascii: "q") || $0 == UInt8(ascii: "Q") { loop.stop(0) } },
        onGone: { loop.end($0) })
      meter.scene = { [weak self] in self?.scene() ?? Scene(mark: " ", title: "") }
      meter.animate(true)
      self.meter = meter
    } else {
      let channel = try OutputChannel(loop)
      channel.onGone = { loop.end($0) }
      self.channel = channel
      tellSnapshot()
    }
  }

  private func serve() throws(Failure) -> ExitCode {
    defer { meter?.close() }
    let bus = daemon.bus
    let loop = daemon.loop
    bus.subscribe(sender: Daemon.name, path: nil, interface: WireNames.monitor, member: nil) {
      [weak self] in self?.receive($0)
    }
    bus.subscribe(
      sender: Daemon.name, path: nil, interface: WireNames.properties,
      member: "PropertiesChanged", arg0: WireNames.monitor
    ) { [weak self] in self?.receive($0) }
    bus.subscribe(
      sender: "org.freedesktop.DBus", path: "/org/freedesktop/DBus",
      interface: "org.freedesktop.DBus", member: "NameOwnerChanged", arg0: Daemon.name
    ) { [weak self] signal in
      self?.ownerChanged(signal.arguments.last?.text != "")
    }
    bus.onDisconnect = { [weak self] in
      self?.failure = Failure(.unreachable, "The session bus is gone.")
      loop.stop(0)
    }
    let signals = try WatchCommand.signals(loop) { [weak self] signal in
      if let meter = self?.meter { return meter.handle(signal) }
      guard signal == SIGTSTP else { return false }
      kill(getpid(), SIGSTOP)
      return true
    }
    let status = withExtendedLifetime(signals) { loop.run() }
    meter?.close()
    if let failure { throw failure }
    return ExitCode(rawValue: status) ?? .file
  }

  private func ownerChanged(_ isThere: Bool) {
    level = 0
    lease = nil
    linked = ""
    guard isThere else {
      if isJson { send(["type": .string("offline")]) }
      return
    }
    // Not from inside the signal's handler, which the bus must not wait in.
    daemon.loop.later { [weak self] in
      guard let self else { return }
      do throws(Failure) {
        try open()
        tellSnapshot()
      } catch { end(error) }
    }
  }

  private func receive(_ signal: BusSignal) {
    guard signal.path == lease else { return }
    switch (signal.member, signal.arguments.count) {
    case ("Level", 2):
      guard let level = signal.arguments[0].number, let peak = signal.arguments[1].number
      else { return }
      self.level = level
      if level >= RecorderState.sound, notice == "silent" { notice = nil }
      track.note(level, at: seconds)
      tell(level, peak)
    case ("Notice", 2):
      let kind = signal.arguments[0].text ?? ""
      notice = ["silent", "source-lost"].contains(kind) ? kind : nil
      if isJson { send(["type": .string("notice"), "notice": .string(kind)]) }
    case ("Closed", 1): closed(signal.arguments[0].text ?? "")
    case ("PropertiesChanged", 3):
      guard let changed = signal.arguments[1].entries?["LinkedTarget"]?.text else { return }
      linked = changed
      if isJson { send(["type": .string("linked"), "linked": .string(changed)]) }
    default: break
    }
  }

  private func closed(_ reason: String) {
    lease = nil
    switch reason {
    case "shutdown": break
    case "access-off":
      end(Failure(.notDone, "The microphone was switched off; \"vctl access on\" switches it on."))
    case "source-ended": end(Failure(.notDone, "The source has ended."))
    default: end(Failure(.notDone, "The daemon ended the monitor."))
    }
  }

  private func end(_ failure: Failure) {
    self.failure = failure
    daemon.loop.stop(0)
  }

  // MARK: Showing

  /// The level in whole decibels below full scale: the loudness rule, backwards.
  private var decibels: Int {
    let share = cbrt(level) * cbrt(level)
    return Int((Loudness.floor * (1 - share)).rounded())
  }

  private var seconds: Double { Double(EventLoop.now - began) / 1e9 }

  private func tellSnapshot() {
    guard isJson else { return }
    send([
      "type": .string("snapshot"), "source": .string(source), "target": .string(target),
      "linked": .string(linked), "level": .number(level, decimals: 3),
    ])
  }

  private func tell(_ level: Double, _ peak: Double) {
    // A reader that is slow gets the newest levels, not all of them.
    guard let channel, !channel.isBusy else { return }
    if isJson {
      send([
        "type": .string("level"), "level": .number(level, decimals: 3),
        "peak": .number(peak, decimals: 3),
      ])
    } else {
      channel.send("\(decimalText(level, decimals: 3)) \(decimalText(peak, decimals: 3))\n")
    }
  }

  private func send(_ line: Json) { channel?.send(line.text + "\n") }

  private func scene() -> Scene {
    track.advance(to: seconds)
    let isOnline = lease != nil
    var scene = Scene(
      mark: isOnline ? glyphs.recording : glyphs.offline,
      title: isOnline ? "listening" : "voiced is not running",
      titleInk: isOnline ? Palette.heights[0] : Palette.grey)
    scene.place =
      [source, linked.isEmpty ? target : linked].filter { !$0.isEmpty }
      .joined(separator: " ").plain
    scene.figure = level > 0 ? "\(decibels) dB" : "silence"
    scene.figureInk = level > 0 ? Palette.ink(at: level) : Palette.grey
    scene.bars = track.bars
    scene.isLive = isOnline
    if let notice, let text = Wording.notice(notice) {
      (scene.note, scene.noteInk) = (text, Palette.amber)
    }
    scene.keys = "q leaves"
    return scene
  }
}
