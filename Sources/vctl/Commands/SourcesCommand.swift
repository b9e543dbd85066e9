import VoiceCore
import VoiceIO

/// `vctl sources`: the sources, or what one can be pointed at.
enum SourcesCommand {
  static func run(_ line: Invocation) throws(Failure) {
    let daemon = try Daemon()
    if let source = line.options["targets"] {
      let targets = try daemon.targets(of: source)
      if line.has("json") {
        let json: Json = ["source": .string(source), "targets": Json(.dictionaries(targets))]
        return try Standard.say(json.text)
      }
      return try Standard.print(text(targets: targets))
    }
    let sources = try daemon.all(of: Daemon.manager)["Sources"] ?? .dictionaries([])
    let chosen = try daemon.all(of: Daemon.recorder)["Source"]?.text ?? ""
    if line.has("json") {
      let json: Json = ["source": .string(chosen), "sources": Json(sources)]
      return try Standard.say(json.text)
    }
    try Standard.print(text(sources: sources.items ?? [], chosen: chosen))
  }

  private static func text(sources: [BusValue], chosen: String) -> String {
    var usable: [[String]] = []
    var refused = ""
    for source in sources.compactMap(\.entries) {
      func field(_ key: String) -> String { (source[key]?.text ?? "").plain }
      let mark = field("id") == chosen.plain && !chosen.isEmpty ? "* " : "  "
      guard source["available"]?.flag ?? false else {
        refused += mark + field("id") + " is refused: " + field("reason") + "\n"
        if !field("plugin").isEmpty { refused += "    " + field("plugin") + "\n" }
        continue
      }
      let flags = (source["flags"]?.items ?? []).compactMap(\.text).joined(separator: " ")
      usable.append([mark + field("id"), field("name"), flags.plain, field("plugin")])
    }
    return Standard.table(usable) + refused
  }

  private static func text(targets: [[String: BusValue]]) -> String {
    Standard.table(
      targets.map { target in
        [
          (target["default"]?.flag == true ? "* " : "  ") + (target["target"]?.text ?? "").plain,
          (target["name"]?.text ?? "").plain, target["muted"]?.flag == true ? "muted" : "",
        ]
      })
  }
}

extension Daemon {
  /// What a source can be pointed at now.
  func targets(of source: String) throws(Failure) -> [[String: BusValue]] {
    let answer = try call("GetTargets", of: Self.manager, [.string(source)])
    let items: [BusValue] = answer.first?.items ?? []
    return items.compactMap(\.entries)
  }
}

/// `vctl use`: the source and target of the next takes.
enum UseCommand {
  static func run(_ line: Invocation) throws(Failure) {
    let daemon = try Daemon()
    // A refused source leaves the target as it was.
    try daemon.set("Source", of: Daemon.recorder, .string(line.operands[0]))
    let target = line.operands.count > 1 ? line.operands[1] : ""
    try daemon.set("Target", of: Daemon.recorder, .string(target.target(of: line.operands[0])))
  }
}

/// `vctl access`: the switch for everything that hears the user.
enum AccessCommand {
  static func run(_ line: Invocation) throws(Failure) {
    let daemon = try Daemon()
    if let word = line.operands.first {
      try daemon.set("Access", of: Daemon.manager, .boolean(word == "on"))
    }
    let isOn = try daemon.all(of: Daemon.manager)["Access"]?.flag ?? true
    let json: Json = ["access": .boolean(isOn)]
    if line.has("json") {
      try Standard.say(json.text)
    } else if line.operands.isEmpty {
      try Standard.say(isOn ? "on" : "off")
    }
  }
}
