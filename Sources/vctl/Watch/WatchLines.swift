/// The lines that bars and scripts read, one for each change of the recorder.
enum WatchLines {
  /// JSON lines: the first is a snapshot, later ones carry what changed.
  static func json(_ event: RecorderEvent) -> Json {
    switch event {
    case .snapshot(let state):
      .object([("type", .text("snapshot"))] + fields(of: state))
    case .offline: .object([("type", .text("offline"))])
    case .phase(let phase, let take):
      .object([
        ("type", .text("phase")), ("phase", .text(RecorderState.known(phase))),
        ("take", .whole(Int64(take))),
      ])
    case .level(let level, let elapsed):
      .object([
        ("type", .text("level")), ("level", .number(level, places: 3)),
        ("elapsed", .number(elapsed, places: 3)),
      ])
    case .elapsed(let seconds, let remaining):
      .object([
        ("type", .text("elapsed")), ("elapsed", .whole(Int64(seconds))),
        ("remaining", remaining.map { .whole(Int64($0)) } ?? .null),
      ])
    case .ended(let ending):
      .object(
        [("type", .text(ending.uri == nil ? "discarded" : "finished"))] + fields(of: ending))
    case .notice(let kind): .object([("type", .text("notice")), ("notice", .text(kind))])
    case .linked(let target):
      .object([("type", .text("linked")), ("linked", .text(target))])
    case .settings(let source, let target):
      .object(
        [("type", .text("settings"))] + (source.map { [("source", .text($0))] } ?? [])
          + (target.map { [("target", .text($0))] } ?? []))
    }
  }

  /// The state of the recorder as JSON fields.
  static func fields(of state: RecorderState) -> [(String, Json)] {
    [
      ("phase", .text(state.phase)), ("take", .whole(Int64(state.take))),
      ("level", .number(state.level, places: 3)), ("elapsed", .number(state.elapsed, places: 3)),
      ("remaining", state.remaining.map { .whole(Int64($0)) } ?? .null),
      ("source", .text(state.source)), ("target", .text(state.target)),
      ("linked", .text(state.linked)), ("version", .text(state.version)),
    ]
  }

  /// The end of a take as JSON fields.
  static func fields(of ending: RecorderState.Ending) -> [(String, Json)] {
    var fields: [(String, Json)] = [
      ("take", .whole(Int64(ending.take))), ("ending", .text(ending.ending)),
    ]
    if let uri = ending.uri { fields.append(("uri", .text(uri))) }
    if let duration = ending.duration { fields.append(("duration", .number(duration, places: 3))) }
    if let verdict = ending.verdict { fields.append(("verdict", .text(verdict))) }
    if let error = ending.error { fields.append(("error", .text(error))) }
    if ending.uri != nil {
      fields.append(("waveform", .list(ending.waveform.map { .number($0, places: 3) })))
    }
    return fields
  }

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
    return .object([
      ("text", .text(markup(text))), ("alt", .text(phase)),
      ("tooltip", .text(markup(tooltip(state)))),
      ("class", classes.count == 1 ? .text(phase) : .list(classes.map { .text($0) })),
      ("percentage", .whole(level)),
    ])
  }

  private static func tooltip(_ state: RecorderState) -> String {
    guard state.isOnline else { return "voiced is not running" }
    let place = state.linked.isEmpty ? state.target : state.linked
    let from = (place.isEmpty ? state.source : state.source + " " + place).plain
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
