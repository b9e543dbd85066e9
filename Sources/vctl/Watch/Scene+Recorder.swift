extension Scene {
  /// The scene of the shared recorder.
  init(_ state: RecorderState, elapsed: Double, bars: [Double], glyphs: Glyphs) {
    switch state.phase {
    case _ where !state.isOnline:
      self.init(mark: glyphs.offline, title: "voiced is not running", titleInk: Palette.grey)
    case "holding":
      self.init(mark: glyphs.recording, title: "recording, held", titleInk: Palette.red)
    case "locked": self.init(mark: glyphs.recording, title: "recording", titleInk: Palette.red)
    case "stopped": self.init(mark: glyphs.stopped, title: "stopped", titleInk: Palette.amber)
    default: self.init(mark: glyphs.idle, title: "idle", titleInk: Palette.grey)
    }
    isLive = state.isRecording
    self.bars = bars
    if state.isOnline {
      place = Wording.place(source: state.source, target: state.target, linked: state.linked)
    }
    if state.phase != "idle" { figure = clock(elapsed) }
    if let duration = state.last?.duration, state.phase == "idle" { figure = clock(duration) }
    if let remaining = state.remaining, state.isRecording {
      figure = "\(remaining) s left" + glyphs.separator + figure
      figureInk = remaining <= 3 ? Palette.red : Palette.amber
    }
    (note, noteInk) = Self.note(state)
  }

  private static func note(_ state: RecorderState) -> (String, Ink?) {
    if let notice = state.notice, let text = Wording.notice(notice) { return (text, Palette.amber) }
    if state.phase == "stopped" { return ("kept: vctl send or vctl cancel ends it", Palette.amber) }
    guard state.phase == "idle", let last = state.last else { return ("", nil) }
    return (Wording.ending(last), last.uri == nil ? Palette.amber : nil)
  }
}
