import Glibc
import VoiceCore
import VoiceIO

/// Makes a recording of sound that was set aside, by a `voiced-take` of its own.
final class Recovery {
  private let kept: KeptTake
  private let format: Format
  private let services: Services
  private var channel: ControlChannel?
  private var report: TakeReport?

  init(kept: KeptTake, format: Format, services: Services) {
    self.kept = kept
    self.format = format
    self.services = services
  }

  /// Starts; `then` is told once, and keeps this object until then.
  func start(then: @escaping (Result<KeptTake, Refusal>) -> Void) {
    do {
      let (ours, theirs) = try ControlChannel.pair()
      defer { close(theirs) }
      channel = try ControlChannel(
        loop: services.loop, descriptor: ours,
        onMessage: { self.report = TakeReport($0) ?? self.report }, onClose: {})
      _ = try services.takeHost.spawn(
        ["--recover", services.folder.path, "\(kept.take)", format.rawValue],
        descriptors: [(parent: theirs, child: 3)]
      ) { status in
        self.services.loop.later {
          self.channel?.drain()
          self.channel?.close()
          self.channel = nil
          then(self.outcome(status))
        }
      }
    } catch {
      channel?.close()
      channel = nil
      then(.failure(Refusal(.sourceFailed, error.text)))
    }
  }

  private func outcome(_ status: ExitStatus) -> Result<KeptTake, Refusal> {
    switch report {
    case .ready(let facts):
      var finished = kept
      finished.state = .finished
      finished.facts = facts
      if finished.circumstances.verdict.isEmpty {
        // A crash took what the daemon knew; this is what the sound itself tells.
        finished.circumstances.verdict = Verdict(peak: facts.peak).rawValue
        finished.circumstances.elapsed = facts.duration
      }
      services.library.add(finished)
      return .success(finished)
    case .failed(let error, let text):
      return .failure(Refusal(VoicedError(shortName: error) ?? .folderUnusable, text))
    default:
      return .failure(
        Refusal(.folderUnusable, "take \(kept.take) could not be read: \(status.text)"))
    }
  }
}
