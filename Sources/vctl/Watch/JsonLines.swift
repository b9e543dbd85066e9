package import VoiceCore

/// The JSON lines of `vctl watch`: the first is a snapshot, later ones carry what changed.
enum JsonLines {
  static func line(_ event: RecorderEvent) -> Json {
    switch event {
    case .snapshot(let state):
      return .object(Json.members(["type": .string("snapshot")]) + fields(of: state))
    case .offline: return ["type": .string("offline")]
    case .phase(let phase, let take):
      return [
        "type": .string("phase"), "phase": .string(RecorderState.known(phase)),
        "take": .integer(Int64(take)),
      ]
    case .level(let level, let elapsed):
      return [
        "type": .string("level"), "level": .number(level, decimals: 3),
        "elapsed": .number(elapsed, decimals: 3),
      ]
    case .elapsed(let seconds, let remaining):
      return [
        "type": .string("elapsed"), "elapsed": .integer(Int64(seconds)),
        "remaining": remaining.map { .integer(Int64($0)) } ?? .null,
      ]
    case .ended(let ending):
      let type = ending.uri == nil ? "discarded" : "finished"
      return .object(Json.members(["type": .string(type)]) + fields(of: ending))
    case .notice(let kind): return ["type": .string("notice"), "notice": .string(kind)]
    case .linked(let target): return ["type": .string("linked"), "linked": .string(target)]
    case .settings(let source, let target):
      var fields = Json.members(["type": .string("settings")])
      if let source { fields.append(.init("source", .string(source))) }
      if let target { fields.append(.init("target", .string(target))) }
      return .object(fields)
    }
  }

  /// The state of the recorder.
  static func fields(of state: RecorderState) -> [Json.Member] {
    Json.members([
      "phase": .string(state.phase), "take": .integer(Int64(state.take)),
      "level": .number(state.level, decimals: 3), "elapsed": .number(state.elapsed, decimals: 3),
      "remaining": state.remaining.map { .integer(Int64($0)) } ?? .null,
      "source": .string(state.source), "target": .string(state.target),
      "linked": .string(state.linked), "version": .string(state.version),
    ])
  }

  /// The end of a take; what is not known is left out.
  static func fields(of ending: RecorderState.Ending) -> [Json.Member] {
    var fields = Json.members([
      "take": .integer(Int64(ending.take)), "ending": .string(ending.ending),
    ])
    if let uri = ending.uri { fields.append(.init("uri", .string(uri))) }
    if let duration = ending.duration {
      fields.append(.init("duration", .number(duration, decimals: 3)))
    }
    if let verdict = ending.verdict { fields.append(.init("verdict", .string(verdict))) }
    if let error = ending.error { fields.append(.init("error", .string(error))) }
    if let reason = ending.reason { fields.append(.init("reason", .string(reason))) }
    if ending.uri != nil {
      let peaks = ending.waveform.map { Json.number($0, decimals: 3) }
      fields.append(.init("waveform", .array(peaks)))
    }
    return fields
  }
}

extension Json: ExpressibleByDictionaryLiteral {
  /// An object, written as a dictionary of its members.
  package init(dictionaryLiteral elements: (String, Json)...) {
    self = .object(elements.map { Member($0.0, $0.1) })
  }

  /// Members in their order.
  static func members(_ pairs: KeyValuePairs<String, Json>) -> [Member] {
    pairs.map { Member($0.key, $0.value) }
  }
}
