import VoiceCore
import VoiceIO

/// Judges the facts: no input or output in here.
enum Diagnosis {
  /// Bytes on the disk below which recordings are in danger: 100 MB are 9 minutes of spool.
  private static let scarce: UInt64 = 100_000_000

  static func findings(_ facts: Facts) -> [Finding] {
    bus(facts) + daemon(facts) + configuration(facts) + access(facts) + plugins(facts)
      + source(facts)
      + microphone(facts) + folder(facts) + lastTake(facts) + listeners(facts) + headset(facts)
  }

  private static func bus(_ facts: Facts) -> [Finding] {
    let name = facts.broker ?? "an unknown broker"
    var findings = [Finding("bus", .ok, "The session bus answers (\(name.plain)).")]
    // Measured with a subscriber that never reads, at 30 levels a second.
    switch facts.broker {
    case "dbus-daemon":
      findings.append(
        Finding(
          "level-rate", .note,
          "Levels go over the bus during recordings only, at most 30 a second; a panel that hangs"
            + " while it listens makes dbus-daemon grow by about 57 MB an hour of recording."))
    case "dbus-broker":
      findings.append(
        Finding(
          "level-rate", .note,
          "Levels go over the bus during recordings only, at most 30 a second; a panel that hangs"
            + " while it listens makes dbus-broker refuse new programs after about 100 minutes of"
            + " recording, until that panel ends."))
    default: break
    }
    if let sandbox = facts.sandbox {
      findings.append(
        Finding(
          "sandbox", .note,
          "vctl runs in a sandbox (\(sandbox)), so the desktop's privacy settings"
            + " decide about the microphone."))
    }
    return findings
  }

  private static func daemon(_ facts: Facts) -> [Finding] {
    let version = facts.manager["DaemonVersion"]?.text ?? ""
    guard version == facts.ownVersion else {
      return [
        Finding(
          "daemon", .mend, "voiced \(version.plain) runs, but vctl is \(facts.ownVersion).",
          "Restart it: \"systemctl --user restart voiced\".")
      ]
    }
    return [Finding("daemon", .ok, "voiced \(version) answers.")]
  }

  private static func configuration(_ facts: Facts) -> [Finding] {
    facts.configuration.warnings.map { warning in
      let line = warning.line > 0 ? "Line \(warning.line) of " : ""
      return Finding(
        "configuration", .mend,
        "\(line)\(facts.configurationPath.plain): \(warning.text.sentence)",
        "Correct that, then restart voiced.")
    }
  }

  private static func access(_ facts: Facts) -> [Finding] {
    facts.manager["Access"]?.flag == false
      ? [
        Finding(
          "access", .mend, "The microphone is switched off for every program.",
          "\"vctl access on\" switches it on.")
      ] : [Finding("access", .ok, "The microphone is switched on.")]
  }

  private static func plugins(_ facts: Facts) -> [Finding] {
    facts.sources.filter { $0["available"]?.flag == false }.map { source in
      let name = [source["id"], source["plugin"]].compactMap { $0?.text }.first { !$0.isEmpty }
      let reason = (source["reason"]?.text ?? "").sentence
      if source["reason"]?.text?.hasSuffix(WireNames.comesFirst) == true {
        let plugin = (source["plugin"]?.text ?? "").plain
        return Finding(
          "plugin", .note, "The source \((name ?? "").plain) of \(plugin) is not used: \(reason)")
      }
      return Finding(
        "plugin", .mend, "The source \((name ?? "").plain) is refused: \(reason)",
        "Mend or remove \((source["plugin"]?.text ?? "the plugin").plain), then restart voiced.")
    }
  }

  private static func source(_ facts: Facts) -> [Finding] {
    let chosen = facts.sources.first { $0["id"]?.text == facts.source }
    guard let chosen, chosen["available"]?.flag == true else {
      return [
        Finding(
          "source", .mend, "The chosen source \"\(facts.source.plain)\" cannot be used.",
          "\"vctl sources\" lists the sources, \"vctl use\" chooses one.")
      ]
    }
    let target = facts.target.isEmpty ? "" : ", pointed at \(facts.target.plain)"
    return [Finding("source", .ok, "Takes record \(facts.source.plain)\(target).")]
  }

  private static func microphone(_ facts: Facts) -> [Finding] {
    let plugin = facts.sources.first { $0["id"]?.text == "microphone" }
    guard plugin?["available"]?.flag == true else { return [] }
    // Whoever records something else need not mend a microphone.
    let state: Finding.State = facts.source == "microphone" ? .mend : .note
    guard facts.hasAudioServer else {
      return [
        Finding(
          "server", state, "No audio server runs: there is no PipeWire in this session.",
          "\"systemctl --user start pipewire wireplumber\" starts it.")
      ]
    }
    let targets: [[String: BusValue]]
    switch facts.microphones {
    case .failure(let failure):
      return [
        Finding(
          "server", state, "The audio server does not answer: \(failure.problem)",
          "\"systemctl --user status pipewire wireplumber\" says whether it runs.")
      ]
    case .success(let list): targets = list
    }
    let server = Finding("server", .ok, "The audio server answers.")
    let real = targets.filter { target in
      let name = target["target"]?.text ?? ""
      return !["monitor:", "app:"].contains { name.utf8.starts(with: $0.utf8) } && name != "default"
    }
    let pinned = facts.source == "microphone" && !["", "default"].contains(facts.target)
    let meant =
      pinned
      ? targets.first { $0["target"]?.text == facts.target }
      : targets.first { $0["default"]?.flag == true }
    // A monitor or a program that was chosen is what is wanted, whatever else there is not.
    guard !real.isEmpty || (pinned && meant != nil) else {
      return [
        server,
        Finding(
          "microphone", state,
          "There is no microphone; "
            + (targets.first { $0["default"]?.flag == true }.flatMap(standIn).map {
              "the default source is \($0)."
            } ?? "what other programs take for one is at best the monitor of a loudspeaker."),
          "Plug one in, or switch its profile to one with input in the sound settings."),
      ]
    }
    return [server, judge(meant, pinned: pinned, facts.target, state)]
  }

  /// Judges the microphone that a take would use.
  private static func judge(
    _ meant: [String: BusValue]?, pinned: Bool, _ target: String, _ state: Finding.State
  ) -> Finding {
    guard let meant else {
      return pinned
        ? Finding(
          "microphone", state, "The chosen microphone \(target.plain) is not there.",
          "Plug it in, or choose another: \"vctl sources --targets microphone\" lists them.")
        : Finding(
          "microphone", state, "No microphone is the default one.",
          "Choose one in the sound settings, or with \"vctl use microphone NAME\".")
    }
    let name = [meant["name"], meant["target"]].compactMap { $0?.text }.first { !$0.isEmpty } ?? ""
    if !pinned, let other = standIn(meant) {
      return Finding(
        "microphone", state, "The default source is \(other), not a microphone.",
        "Choose a microphone as the input device in the sound settings.")
    }
    if meant["muted"]?.flag == true {
      return Finding(
        "microphone", state, "The microphone \(name.plain) is muted.",
        pinned
          ? "Unmute it in the sound settings."
          : "Unmute it: \"wpctl set-mute @DEFAULT_AUDIO_SOURCE@ 0\", or in the sound settings.")
    }
    return Finding("microphone", .ok, "The microphone is \(name.plain).")
  }

  /// What a target is that other programs take for a microphone; `nil` for a real one.
  private static func standIn(_ target: [String: BusValue]) -> String? {
    guard let id = target["target"]?.text, id.utf8.starts(with: "monitor:".utf8) else { return nil }
    if id == "monitor:auto_null" { return "PipeWire's own null sink (auto_null)" }
    return "the monitor of a loudspeaker (\((target["name"]?.text ?? id).plain))"
  }

  private static func folder(_ facts: Facts) -> [Finding] {
    if let problem = facts.folderProblem {
      return [
        Finding(
          "folder", .mend, "Recordings cannot be kept in \(facts.folder.plain) (\(problem)).",
          "Make that folder yours and writable.")
      ]
    }
    guard let free = facts.freeBytes, free < scarce else { return [] }
    return [
      Finding(
        "disk", .mend,
        "Only \(free / 1_000_000) MB are free for recordings in"
          + " \(facts.folder.plain).", "Make room.")
    ]
  }

  private static func lastTake(_ facts: Facts) -> [Finding] {
    guard let take = facts.lastTake, let number = take["take"]?.whole else { return [] }
    let (text, advice): (String, String)
    switch take["verdict"]?.text {
    case "none":
      (text, advice) = (
        "is silent", "Look for a mute switch at the microphone, and try \"vctl monitor\"."
      )
    case "low":
      (text, advice) = ("is very quiet", "Turn the input up in the sound settings.")
    case "clipped":
      (text, advice) = ("is too loud, so that it is distorted", "Turn the input down.")
    default: return []
    }
    return [Finding("last-take", .note, "The last recording (take \(number)) \(text).", advice)]
  }

  private static func listeners(_ facts: Facts) -> [Finding] {
    (facts.manager["Listeners"]?.items ?? []).compactMap(\.entries).map { who in
      let process = who["process"]?.text ?? "a program"
      let pid = who["pid"]?.whole.map { " (\($0))" } ?? ""
      let source = who["source"]?.text ?? "a source"
      let kind = who["kind"]?.text == "take" ? "records" : "listens to"
      return Finding("listener", .note, "\(process.plain)\(pid) \(kind) \(source.plain) now.")
    }
  }

  private static func headset(_ facts: Facts) -> [Finding] {
    guard facts.source == "microphone", case .success(let targets) = facts.microphones,
      targets.contains(where: { ($0["target"]?.text ?? "").utf8.starts(with: "bluez".utf8) })
    else { return [] }
    return [
      Finding(
        "headset", .note,
        "A Bluetooth headset keeps its music quality while recording, unless"
          + " \"media-role = Communication\" stands in voiced.conf.")
    ]
  }
}
