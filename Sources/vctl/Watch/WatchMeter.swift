import Glibc
import VoiceIO

/// Shows the recorder as a meter that fills the terminal.
final class WatchMeter: Watcher {
  /// Bars that are kept: a minute, more than any terminal shows.
  private static let capacity = 600
  /// Seconds of a bar: two of the peaks that the daemon keeps.
  static let period = 0.1

  private let glyphs: Glyphs
  private let meter: TerminalMeter
  private var state = RecorderState()
  private var clock = RunningClock()
  private var track = BarTrack(period: period, capacity: capacity)
  /// Asks for the bars of a running take from this number on.
  var peaks: ((_ first: Int, _ then: @escaping ([Double]) -> Void) -> Void)?

  init(_ daemon: Daemon, glyphs: Glyphs) throws(Failure) {
    let loop = daemon.loop
    self.glyphs = glyphs
    meter = try TerminalMeter(
      loop, extent: .screen, glyphs: glyphs,
      onKey: { if $0 == UInt8(ascii: "q") || $0 == UInt8(ascii: "Q") { loop.stop(0) } },
      onGone: { loop.end($0) })
    meter.scene = { [weak self] in self?.scene() ?? Scene(mark: " ", title: "") }
  }

  func take(_ event: RecorderEvent) {
    let before = state
    state.apply(event)
    clock.set(state, now: EventLoop.now)
    let isNew = state.phase != "idle" && (before.phase == "idle" || state.take != before.take)
    switch event {
    case .level(let level, let elapsed) where state.isRecording: track.note(level, at: elapsed)
    case .snapshot, .phase:
      guard isNew else { break }
      track = BarTrack(period: Self.period, capacity: Self.capacity)
      if state.elapsed > 0 { join() }
    default: break
    }
    meter.animate(state.isRecording)
    if !state.isRecording || before.phase != state.phase { meter.show() }
  }

  func handle(_ signal: Int32) -> Bool { meter.handle(signal) }

  func close() { meter.close() }

  /// Gets the bars of a take that began before it was watched.
  private func join() {
    track.join(at: state.elapsed)
    let first = max(0, track.count - Self.capacity)
    let take = state.take
    peaks?(2 * first) { [weak self] peaks in
      guard let self, state.take == take else { return }
      let bars = stride(from: 0, to: peaks.count - 1, by: 2).map { max(peaks[$0], peaks[$0 + 1]) }
      track.fill(bars, from: first)
      meter.show()
    }
  }

  private func scene() -> Scene {
    let elapsed = clock.seconds(now: EventLoop.now)
    if state.isRecording, elapsed > 0 { track.advance(to: elapsed) }
    var scene = Scene(state, elapsed: elapsed, bars: track.bars, glyphs: glyphs)
    scene.keys = "q leaves"
    return scene
  }
}
