import Glibc
import VoiceCore
import VoiceIO

/// What can be listened to, and what was recorded.
extension Manager {
  /// Recoveries that run at a time; one needs some 30 MB.
  private static let mostRecoveries = 4

  func getTargets(_ call: BusCall) {
    let id = call.string(0)
    do throws(Refusal) {
      let source = try services.gate.source(id)
      // One question at a time for each source, whoever asks and however often.
      targetCalls[id, default: []].append(call)
      guard targetCalls[id]?.count == 1 else { return }
      services.sourceHost.targets(of: source, deadline: 1) { [weak self] outcome in
        for call in self?.targetCalls.removeValue(forKey: id) ?? [] { answer(call, outcome) }
      }
    } catch {
      call.fail(error)
    }
  }

  func openTake(_ call: BusCall) {
    guard let kept = services.library.find(call.number(0)) else {
      return call.fail(Refusal(.noSuchTake, "take \(call.number(0))"))
    }
    let descriptor = Glibc.open(kept.facts.path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else {
      return call.fail(Refusal(.folderUnusable, "\(kept.facts.path) cannot be opened"))
    }
    call.reply([.descriptor(descriptor)])
    Glibc.close(descriptor)
  }

  func recoverTake(_ call: BusCall) {
    let number = call.number(0)
    do throws(Refusal) {
      let format =
        call.string(1).isEmpty ? shared.defaults.format : try TakeSettings.format(call.string(1))
      guard let kept = services.library.find(number), kept.state != .finished else {
        throw Refusal(.noSuchTake, "take \(number) does not wait to be recovered")
      }
      guard services.library.recovering.count < Self.mostRecoveries,
        services.library.recovering.insert(number).inserted
      else {
        throw Refusal(.limitExceeded, "take \(number) has to wait for a recovery that runs")
      }
      let recovery = Recovery(kept: kept, format: format, services: services)
      recovery.start { [weak self] outcome in
        self?.services.library.recovering.remove(number)
        switch outcome {
        case .success(let finished):
          self?.emit("TakeRecovered", finishedArguments(finished))
          call.reply([])
        case .failure(let refusal): call.fail(refusal)
        }
      }
    } catch {
      call.fail(error)
    }
  }
}

private func answer(_ call: BusCall, _ outcome: SourceHost.Outcome) {
  let targets = outcome.messages.compactMap { target(in: $0) }
  guard outcome.isSuccess || !targets.isEmpty else {
    let failed = outcome.messages.first { $0.word == "failed" }
    return call.fail(Refusal(.sourceUnavailable, failed?["text"] ?? outcome.end))
  }
  call.reply([.dictionaries(targets)])
}

/// A target that a source process listed, as `GetTargets` gives it.
private func target(in message: ControlMessage) -> [String: BusValue]? {
  guard message.word == "target", let target = message["target"] else { return nil }
  return [
    "target": .string(target), "name": .string(message["name"] ?? target),
    "default": .boolean(message["default"] == "1"), "muted": .boolean(message["muted"] == "1"),
  ]
}
