/// The errors of the wire contract; the raw value is the last part of the name on the bus.
package enum VoicedError: String, CaseIterable, Error, Sendable {
  case accessOff = "AccessOff"
  case accessDenied = "AccessDenied"
  case noSuchSource = "NoSuchSource"
  case noSuchTarget = "NoSuchTarget"
  case noSuchTake = "NoSuchTake"
  case sourceUnavailable = "SourceUnavailable"
  case sourceFailed = "SourceFailed"
  case notAudio = "NotAudio"
  case noSound = "NoSound"
  case invalidValue = "InvalidValue"
  case limitExceeded = "LimitExceeded"
  case diskFull = "DiskFull"
  case folderUnusable = "FolderUnusable"

  private static let prefix = WireNames.bus + ".Error."

  /// The name on the bus and in the `error` of details.
  package var fullName: String { Self.prefix + rawValue }

  /// Reads the last part of a name, as control messages between our processes carry it.
  package init?(shortName: String) { self.init(rawValue: shortName) }

  /// Reads a name as the bus carries it.
  package init?(fullName: String) {
    guard fullName.utf8.starts(with: Self.prefix.utf8) else { return nil }
    self.init(rawValue: String(fullName.utf8.dropFirst(Self.prefix.utf8.count)) ?? "")
  }

  /// A sentence for somebody who knows nothing of this program.
  package var text: String { sentence("") }

  /// The sentence with what was wrong this time; "" is nothing to add.
  package func sentence(_ detail: String) -> String {
    let (problem, advice) = parts
    return detail.isEmpty ? "\(problem); \(advice)." : "\(problem) (\(detail)); \(advice)."
  }

  /// What is wrong, and what to do.
  private var parts: (problem: String, advice: String) {
    switch self {
    case .accessOff:
      ("Listening is switched off", "\"vctl access on\" switches it on")
    case .accessDenied:
      ("This program may not do that", "outside a sandbox, and with objects of its own, it may")
    case .noSuchSource:
      ("There is no such source", "\"vctl sources\" lists those there are")
    case .noSuchTarget:
      (
        "The source has no such target",
        "name a file that exists, or one that \"vctl sources --targets SOURCE\" lists"
      )
    case .noSuchTake:
      ("No take of that number is kept", "\"vctl takes\" lists those that are")
    case .sourceUnavailable:
      ("The source cannot be used now", "\"vctl doctor\" says what is missing")
    case .sourceFailed:
      ("The source has failed", "\"journalctl --user -u voiced\" says how")
    case .notAudio:
      ("The file has no sound that can be decoded", "choose an audio file")
    case .noSound:
      ("The source gives levels without sound", "monitor it, or record another one")
    case .invalidValue:
      ("The value is not allowed", "the interface's description says which are")
    case .limitExceeded:
      ("That is more than there may be at a time", "close one, or wait until one has ended")
    case .diskFull:
      ("The disk is full", "make room and record again")
    case .folderUnusable:
      ("The folder for recordings cannot be used", "make it yours and writable")
    }
  }
}
