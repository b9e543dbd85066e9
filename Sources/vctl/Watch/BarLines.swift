import VoiceCore

/// The lines that desktop bars read.
enum BarLines {
  /// The short text of a bar: clock, then a fixed number of level bars; empty at rest.
  static func text(
    _ state: RecorderState, elapsed: Double, bars: [Double], cells: Int, glyphs: Glyphs
  ) -> String {
    guard state.isOnline, state.phase != "idle" else { return "" }
    var time = clock(elapsed)
    if let remaining = state.remaining, state.isRecording { time = "-" + clock(Double(remaining)) }
    // Five cells hold every time below an hour, so that the bar keeps its width.
    let pad = String(repeating: " ", count: max(0, 5 - time.count))
    guard cells > 0 else { return pad + time }
    let shown = bars.suffix(cells)
    let rest = String(repeating: glyphs.bar(0), count: cells - shown.count)
    return pad + time + " " + rest + String(shown.map(glyphs.bar))
  }

  /// A line of waybar's JSON; text and tooltip are Pango markup, so they are escaped.
  static func waybar(_ state: RecorderState, text: String) -> Json {
    let phase = state.isOnline ? state.phase : "offline"
    var classes = [phase]
    if state.isRecording {
      if state.remaining != nil { classes.append("ending") }
      if state.notice == "silent" || state.notice == "source-lost" { classes.append("silent") }
    }
    let level = state.isRecording ? Int64((state.level * 100).rounded()) : 0
    return [
      "text": .string(markup(text)), "alt": .string(phase),
      "tooltip": .string(markup(tooltip(state))),
      "class": classes.count == 1 ? .string(phase) : .array(classes.map { .string($0) }),
      "percentage": .integer(level),
    ]
  }

  private static func tooltip(_ state: RecorderState) -> String {
    guard state.isOnline else { return "voiced is not running" }
    let from = Wording.place(source: state.source, target: state.target, linked: state.linked)
    let doing =
      switch state.phase {
      case "holding": "recording, held"
      case "locked": "recording"
      case "stopped": "stopped, kept until it is sent or cancelled"
      default: "idle"
      }
    if let notice = state.notice.flatMap(Wording.notice) { return "\(doing) (\(from)): \(notice)" }
    if state.phase == "idle", let last = state.last { return Wording.ending(last) }
    return "\(doing) (\(from))"
  }

  /// The text with Pango's special characters escaped.
  static func markup(_ text: String) -> String {
    var out = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "&": out += "&amp;"
      case "<": out += "&lt;"
      case ">": out += "&gt;"
      case "\"": out += "&quot;"
      case "'": out += "&#39;"
      default: out.unicodeScalars.append(scalar)
      }
    }
    return out
  }
}
