/// What is known of the shared recorder, kept up to date by its signals.
struct RecorderState: Equatable {
  var isOnline = false
  var phase = "idle"
  var take: UInt32 = 0
  /// 0 to 1, smoothed.
  var level = 0.0
  /// Seconds of the running take, as last told.
  var elapsed = 0.0
  /// Whole seconds left, during the last ten only.
  var remaining: Int?
  var source = ""
  var target = ""
  /// What the running take is really linked to; empty for nothing.
  var linked = ""
  var version = ""
  /// The last notice of the running take that is worth a word.
  var notice: String?
  /// How the last take ended, while no other one has begun.
  var last: Ending?

  /// The end of a take.
  struct Ending: Equatable {
    var take: UInt32
    /// "sent", "maximum", "too-short", "cancelled", "interrupted".
    var ending: String
    var uri: String?
    var duration: Double?
    var waveform: [Double] = []
    var verdict: String?
    /// A full error name.
    var error: String?
    /// What the source itself said of it.
    var reason: String?
  }

  /// The level from which on a microphone that was silent is not any more: what is told to be
  /// silent (-60 dBFS and below) has none, but for that of a large `level-gain`.
  static let sound = 0.05

  /// Sound is being recorded now.
  var isRecording: Bool { phase == "holding" || phase == "locked" }
}

/// What the daemon tells about the shared recorder.
enum RecorderEvent: Equatable {
  case snapshot(RecorderState)
  case offline
  case phase(String, take: UInt32)
  case level(Double, elapsed: Double)
  case elapsed(Int, remaining: Int?)
  case ended(RecorderState.Ending)
  case notice(String)
  case linked(String)
  case settings(source: String?, target: String?)
}

extension RecorderState {
  /// Takes an event in; `false` when nothing changed by it.
  @discardableResult
  mutating func apply(_ event: RecorderEvent) -> Bool {
    let before = self
    switch event {
    case .snapshot(let state): self = state
    case .offline: self = RecorderState()
    case .phase(let phase, let take): enter(Self.known(phase), take)
    case .level(let level, let elapsed):
      self.level = level.isFinite ? min(max(level, 0), 1) : 0
      if elapsed.isFinite, elapsed >= 0 { self.elapsed = elapsed }
      if self.level >= Self.sound, notice == "silent" { notice = nil }
    case .elapsed(let seconds, let remaining):
      // The level carries the exact second; the whole one must not set the clock back.
      if Int(elapsed) != seconds { elapsed = Double(seconds) }
      self.remaining = remaining
    case .ended(let ending):
      last = ending
      if ending.take == take { notice = nil }
    case .notice(let kind):
      switch kind {
      case "silent", "source-lost", "hold", "access-off": notice = kind
      case "source-back", "started": notice = nil
      default: break
      }
    case .linked(let target): linked = target
    case .settings(let source, let target):
      self.source = source ?? self.source
      self.target = target ?? self.target
    }
    return self != before
  }

  private mutating func enter(_ phase: String, _ take: UInt32) {
    if phase != "idle", take != self.take || self.phase == "idle" {
      elapsed = 0
      level = 0
      notice = nil
      last = nil
    }
    if phase == "idle" || phase == "stopped" { remaining = nil }
    if phase == "idle" {
      level = 0
      linked = ""
    }
    self.phase = phase
    self.take = take
  }

  /// The phase, or "idle" for a word that this version does not know.
  static func known(_ phase: String) -> String {
    ["idle", "holding", "locked", "stopped"].contains(phase) ? phase : "idle"
  }
}
