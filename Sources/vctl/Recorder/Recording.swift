import VoiceCore

/// A finished recording: where it is and what is known of it.
struct Recording {
  private(set) var ending: RecorderState.Ending
  private(set) var path: String

  /// - Throws: `Failure` when the take ended without a recording.
  init(_ ending: RecorderState.Ending) throws(Failure) {
    guard let uri = ending.uri else { throw Failure(.notDone, Self.reason(ending)) }
    guard let path = FileURI.path(uri) else {
      throw Failure(.file, "The recording is at \(uri.plain), which is no local file.")
    }
    self.ending = ending
    self.path = path
  }

  /// Moves the file, when the command line asks for it.
  mutating func move(by line: Invocation) throws(Failure) {
    guard let target = line.options["output"] else { return }
    do throws(FileMoveError) {
      try FileMove.move(path, to: target, replacing: line.has("force"))
    } catch {
      throw Failure(.file, error.text(of: target) + " The recording stays at \(path.plain).")
    }
    path = target
    ending.uri = FileURI.uri(target)
  }

  /// Prints where it is, or all that is known of it.
  func tell(asJson: Bool) throws(Failure) {
    do throws(Failure) {
      try Standard.say(asJson ? Json.object(JsonLines.fields(of: ending)).text : path)
    } catch { throw Failure(error.status, error.text + " The recording is at \(path.plain).") }
    if !asJson, let warning = Wording.verdict(ending.verdict) {
      Standard.complain("Take \(ending.take) is ready, \(warning); \"vctl doctor\" may say why.")
    }
  }

  /// Why a take left no recording.
  private static func reason(_ ending: RecorderState.Ending) -> String {
    switch ending.ending {
    case "too-short": return "The recording was too short and is discarded; speak for longer."
    case "cancelled": return "The recording was cancelled."
    default:
      if let error = ending.error {
        return "No recording: \(Wording.error(error, ending.reason ?? ""))."
      }
      return "The recording was interrupted; \"vctl takes\" lists what was saved of it."
    }
  }
}
