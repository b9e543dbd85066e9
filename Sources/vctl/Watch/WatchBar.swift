import VoiceCore
import VoiceIO

/// Prints a line for a desktop bar whenever it would look different.
final class WatchBar: Watcher {
  enum Style { case waybar, plain }

  /// Seconds of a level bar, and from one line to the next while recording.
  static let period = 0.1
  /// The least seconds between two lines: bars redraw for each.
  static let pace = 1.0 / 15

  private let style: Style
  private let cells: Int
  private let glyphs: Glyphs
  private let channel: OutputChannel
  private var ticker: LoopTimer?
  private var later: LoopTimer?
  private var state = RecorderState()
  private var clock = RunningClock()
  private var track: BarTrack
  private var printed: String?
  private var printedAt: UInt64 = 0

  init(_ daemon: Daemon, style: Style, cells: Int, glyphs: Glyphs) throws(Failure) {
    let loop = daemon.loop
    self.style = style
    self.cells = cells
    self.glyphs = glyphs
    track = BarTrack(period: Self.period, capacity: max(cells, 1))
    channel = try OutputChannel(loop)
    channel.onGone = { loop.end($0) }
    channel.onDrained = { [weak self] in self?.update() }
    ticker = loop.timer { [weak self] in self?.update() }
    later = loop.timer { [weak self] in self?.update() }
  }

  func take(_ event: RecorderEvent) {
    let before = state
    state.apply(event)
    clock.set(state, now: EventLoop.now)
    if state.take != before.take || !before.isRecording && state.isRecording {
      track = BarTrack(period: Self.period, capacity: max(cells, 1))
      track.join(at: state.elapsed)
    }
    if state.isRecording != ticker?.isArmed {
      if state.isRecording { ticker?.repeat(every: Self.period) } else { ticker?.cancel() }
    }
    if case .level(let level, let elapsed) = event {
      track.note(level, at: elapsed)
      return
    }
    update()
  }

  private func update() {
    let now = EventLoop.now
    let elapsed = clock.seconds(now: now)
    if state.isRecording, elapsed > 0 { track.advance(to: elapsed) }
    let line = line(elapsed)
    // While the reader is behind there is nothing to add: it gets the newest line then.
    guard line != printed, !channel.isBusy else { return }
    let next = printedAt + UInt64(Self.pace * 1e9)
    guard printed == nil || now >= next else {
      later?.start(at: next)
      return
    }
    printed = line
    printedAt = now
    channel.send(line + "\n")
  }

  private func line(_ elapsed: Double) -> String {
    let text = BarLines.text(
      state, elapsed: elapsed, bars: track.bars, cells: cells, glyphs: glyphs)
    switch style {
    case .waybar: return BarLines.waybar(state, text: text).text
    case .plain:
      guard state.isOnline else { return "offline" }
      guard !text.isEmpty else { return "" }
      return "\(state.isRecording ? glyphs.recording : glyphs.stopped) \(text)"
    }
  }
}
