import VoiceCore
import VoiceIO

/// `vctl takes`: the recordings that are kept.
enum TakesCommand {
  static func run(_ line: Invocation) throws(Failure) {
    let answer = try Daemon().call("GetTakes", of: Daemon.manager)
    let takes = answer.first ?? .dictionaries([])
    if line.has("json") {
      let json: Json = ["takes": Json(takes)]
      return try Standard.say(json.text)
    }
    let rows = (takes.items ?? []).compactMap(\.entries).map { take in
      let uri = take["uri"]?.text ?? ""
      let verdict = take["verdict"]?.text ?? ""
      return [
        (take["take"]?.whole).map { String($0) } ?? "", (take["state"]?.text ?? "").plain,
        clock(take["duration"]?.number ?? 0), verdict == "ok" ? "" : verdict.plain,
        (FileURI.path(uri) ?? uri).plain,
      ]
    }
    try Standard.print(Standard.table(rows))
  }
}

/// `vctl recover`: a recording of what was saved of a take.
enum RecoverCommand {
  /// Seconds that encoding a very long take may need.
  private static let deadline = 600.0

  static func run(_ line: Invocation) throws(Failure) {
    let take = try line.take()
    let format = try RecordCommand.format(of: line)?.rawValue ?? ""
    if let target = line.options["output"] {
      do throws(FileMoveError) {
        try FileMove.check(target, replacing: line.has("force"))
      } catch { throw Failure(.file, error.text(of: target)) }
    }
    let daemon = try Daemon()
    let end = TakeEnd(daemon, of: Daemon.manager, ["TakeRecovered"])
    _ = try daemon.call(
      "RecoverTake", of: Daemon.manager, [.uint32(take), .string(format)], timeout: deadline)
    guard let ending = try end.wait(for: take, deadline: deadline) else { throw .daemonGone }
    var recording = try Recording(ending)
    try recording.move(by: line)
    try recording.tell(asJson: line.has("json"))
  }
}
