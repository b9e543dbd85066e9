import VoiceIO

extension RecorderState {
  /// The state that the properties of the daemon describe.
  init(_ recorder: [String: BusValue], manager: [String: BusValue]) {
    self.init()
    isOnline = true
    phase = Self.known(recorder["CurrentPhase"]?.text ?? "idle")
    take = recorder["CurrentTake"]?.whole.flatMap { UInt32(exactly: $0) } ?? 0
    apply(
      .level(
        recorder["CurrentLevel"]?.number ?? 0, elapsed: recorder["CurrentElapsed"]?.number ?? 0))
    source = recorder["Source"]?.text ?? ""
    target = recorder["Target"]?.text ?? ""
    linked = recorder["LinkedTarget"]?.text ?? ""
    version = manager["DaemonVersion"]?.text ?? ""
  }
}

extension RecorderEvent {
  /// Reads a signal of the recorder; `nil` for what this version does not know.
  init?(_ signal: BusSignal) {
    let arguments = signal.arguments
    func whole(_ index: Int) -> Int? {
      index < arguments.count ? arguments[index].whole.flatMap { Int(exactly: $0) } : nil
    }
    func take() -> UInt32? { whole(0).flatMap { UInt32(exactly: $0) } }
    switch (signal.member, arguments.count) {
    case ("Phase", 2):
      guard let phase = arguments[0].text, let take = whole(1).flatMap({ UInt32(exactly: $0) })
      else { return nil }
      self = .phase(phase, take: take)
    case ("Level", 2):
      guard let level = arguments[0].number, let elapsed = arguments[1].number else { return nil }
      self = .level(level, elapsed: elapsed)
    case ("Elapsed", 2):
      guard let seconds = whole(0), let remaining = whole(1) else { return nil }
      self = .elapsed(seconds, remaining: remaining < 0 ? nil : remaining)
    case ("Finished", 5), ("TakeRecovered", 5):
      guard let take = take(), let uri = arguments[1].text, let duration = arguments[2].number
      else { return nil }
      let details = arguments[4].entries ?? [:]
      self = .ended(
        RecorderState.Ending(
          take: take, ending: details["ending"]?.text ?? "sent", uri: uri, duration: duration,
          waveform: (arguments[3].items ?? []).compactMap(\.number),
          verdict: details["verdict"]?.text, error: details["error"]?.text))
    case ("Discarded", 3):
      guard let take = take(), let ending = arguments[1].text else { return nil }
      self = .ended(
        RecorderState.Ending(
          take: take, ending: ending, error: arguments[2].entries?["error"]?.text,
          reason: arguments[2].entries?["reason"]?.text))
    case ("Notice", 2):
      guard let kind = arguments[0].text else { return nil }
      self = .notice(kind)
    case ("PropertiesChanged", 3):
      guard let changed = arguments[1].entries else { return nil }
      if let linked = changed["LinkedTarget"]?.text {
        self = .linked(linked)
      } else if changed["Source"] != nil || changed["Target"] != nil {
        self = .settings(source: changed["Source"]?.text, target: changed["Target"]?.text)
      } else {
        return nil
      }
    default: return nil
    }
  }
}
