import VoiceCore
import VoiceIO

/// `vctl status`: what the recorder is doing.
enum StatusCommand {
  static func run(_ line: Invocation) throws(Failure) {
    let daemon = try Daemon()
    let recorder = try daemon.all(of: Daemon.recorder)
    let manager = try daemon.all(of: Daemon.manager)
    let state = RecorderState(recorder, manager: manager)
    try Standard.print(
      line.has("json")
        ? json(state, recorder, manager).text + "\n" : text(state, recorder, manager))
  }

  private static func json(
    _ state: RecorderState, _ recorder: [String: BusValue], _ manager: [String: BusValue]
  ) -> Json {
    let more = Json.members([
      "format": Json(recorder["Format"] ?? .string("")),
      "minimum": Json(recorder["MinimumDuration"] ?? .double(0)),
      "maximum": Json(recorder["MaximumDuration"] ?? .double(0)),
      "access": Json(manager["Access"] ?? .boolean(true)),
      "listeners": Json(manager["Listeners"] ?? .dictionaries([])),
    ])
    return .object(JsonLines.fields(of: state) + more)
  }

  private static func text(
    _ state: RecorderState, _ recorder: [String: BusValue], _ manager: [String: BusValue]
  ) -> String {
    let phase = state.take > 0 && state.phase != "idle" ? " (take \(state.take))" : ""
    var rows = [["phase", state.phase + phase]]
    if state.phase != "idle" {
      rows.append(["elapsed", clock(state.elapsed)])
      rows.append(["level", decimalText(state.level, decimals: 2)])
    }
    rows.append(["source", state.source.plain])
    if !state.target.isEmpty { rows.append(["target", state.target.plain]) }
    if !state.linked.isEmpty { rows.append(["linked", state.linked.plain]) }
    rows.append(["format", (recorder["Format"]?.text ?? "").plain])
    let limits = ["MinimumDuration", "MaximumDuration"].map {
      (recorder[$0]?.number ?? 0).short
    }
    rows.append(["limits", "\(limits[0]) s to \(limits[1]) s"])
    rows.append(["access", manager["Access"]?.flag == false ? "off" : "on"])
    for listener in manager["Listeners"]?.items ?? [] {
      guard let who = listener.entries else { continue }
      let name = who["process"]?.text ?? ""
      let what = [who["kind"], who["source"], who["target"]].compactMap { $0?.text }
      let pid = who["pid"]?.whole.map { " (\($0))" } ?? ""
      rows.append(["listener", "\(name)\(pid): \(what.joined(separator: " "))".plain])
    }
    rows.append(["voiced", state.version.plain])
    return Standard.table(rows)
  }
}
