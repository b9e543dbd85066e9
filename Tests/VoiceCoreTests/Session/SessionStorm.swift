@testable import VoiceCore

/// Chance events as a world of clumsy clients, slow sources and failing disks gives them.
struct SessionStorm {
  var random: SeededRandom
  /// Nanoseconds; jumps, and sometimes steps back a little.
  private(set) var now: UInt64 = 1_000_000_000_000
  private var lastTake: UInt32 = 0
  private var written: UInt64
  /// Takes whose file may still be told of, or be told of again.
  private var files: [UInt32] = []

  private static let facts = RecordingFacts(
    path: "/x", duration: 1, bytes: 1, rate: 24_000, mediaType: "audio/mp4", waveform: [])
  private static let views = [":1.1", ":1.2", ":1.3"]

  init(seed: UInt64) {
    random = SeededRandom(seed: seed)
    written = UInt64.random(in: 0...1_000_000_000, using: &random)
  }

  private mutating func chance(_ one: Int) -> Bool { Int.random(in: 0..<one, using: &random) == 0 }

  /// The next event; `take` is the one that runs, 0 for none.
  mutating func next(take: UInt32) -> SessionEvent {
    moveClock()
    // Mostly the take that runs, at times one of before, or none that ever was.
    let about = chance(8) ? UInt32.random(in: 0...lastTake + 1, using: &random) : take
    switch Int.random(in: 0..<100, using: &random) {
    case 0..<14: return begin()
    case 14..<22: return .release
    case 22..<26: return .lock
    case 26..<29: return .send
    case 29..<31: return .cancel
    case 31..<45: return .began(take: about, frame: written, preRoll: chance(6) ? 0.5 : 0)
    case 45..<79: return .progress(written: written)
    case 79..<84: return .wake
    case 84: return .quiet(take: about)
    case 85: return .absent(take: about, .noSuchTarget)
    case 86: return .sourceFailed(take: about, .noSuchTarget)
    case 87: return .sourceEnded(take: about)
    case 88..<90: return .interruption(chance(2) ? nil : .accessOff)
    case 90: return .viewGone(Self.views.randomElement(using: &random) ?? "")
    case 91: return .fileFailed(take: about, .diskFull)
    default:
      let file = chance(3) ? files.randomElement(using: &random) : files.popLast()
      return .fileReady(take: file ?? about, Self.facts)
    }
  }

  /// A take whose file's end may be told from now on.
  mutating func mayFinish(_ take: UInt32) {
    files.append(take)
    if files.count > 50 { files.removeFirst() }
  }

  private mutating func begin() -> SessionEvent {
    // The daemon counts on, also for calls that then begin nothing; 0 is a Press that can only join.
    lastTake += 1
    let number = chance(20) ? 0 : lastTake
    var settings = TakeSettings()
    settings.minimum = [0, 0.2, 0.6, 3].randomElement(using: &random) ?? 0
    settings.maximum = [1, 2.01, 11, 15, 300].randomElement(using: &random) ?? 1
    return .begin(
      take: number, held: Bool.random(using: &random), settings: settings,
      caller: chance(3) ? Self.views.randomElement(using: &random) : nil)
  }

  private mutating func moveClock() {
    let step: UInt64
    switch Int.random(in: 0..<1_000, using: &random) {
    case 0: step = UInt64.random(in: 0...7_200_000_000_000, using: &random)
    case 1..<5:
      now -= UInt64.random(in: 0...50_000_000, using: &random)
      return
    case 5..<300: step = UInt64.random(in: 0...400_000_000, using: &random)
    default: step = UInt64.random(in: 0...40_000_000, using: &random)
    }
    now += step
    // The ring follows the clock, unless the source is silent or has been started again.
    if chance(10) { return }
    written +=
      chance(500) ? UInt64.random(in: 0...20_000_000, using: &random) : step * 48 / 1_000_000
  }
}

extension SessionEvent {
  /// Whether a client waits for an answer.
  var isVerb: Bool {
    switch self {
    case .begin, .release, .lock, .send, .cancel: true
    default: false
    }
  }
}
