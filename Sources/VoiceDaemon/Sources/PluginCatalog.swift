import VoiceCore
import VoiceIO

/// Which sources there are: asks each plugin in a child of its own, once for each version of its file.
///
/// No foreign code runs in the daemon. A plugin that does not answer in time is refused with a
/// reason like any other.
final class PluginCatalog {
  /// Seconds a plugin has to describe itself; the bundled ones need some 20 ms.
  private static let deadline = 2.0

  private let host: SourceHost
  private let folders: PluginFolders
  private var entries: [Entry] = []
  private var waiting: [() -> Void] = []

  private(set) var sources: [PluginSource] = []
  private(set) var refused: [RefusedPlugin] = []
  /// Told when `sources` or `refused` changed.
  var onChange: (() -> Void)?

  /// What a plugin file answered.
  private struct Answer: Equatable {
    var sources: [PluginSource] = []
    var refused: [RefusedPlugin] = []
  }

  /// A plugin file, and its answer once it has come.
  private final class Entry {
    let file: PluginFile
    var answer: Answer?
    var isAsked = false

    init(file: PluginFile) { self.file = file }
  }

  init(host: SourceHost, folders: PluginFolders) {
    self.host = host
    self.folders = folders
  }

  func source(_ id: String) -> PluginSource? { sources.first { $0.id == id } }

  /// Looks at the folders again and asks what is new there; `then` runs when all is known, at
  /// once when nothing is new.
  func refresh(then: @escaping () -> Void) {
    entries = folders.files().map { file in
      entries.first { $0.file == file } ?? Entry(file: file)
    }
    waiting.append(then)
    for entry in entries where !entry.isAsked { ask(entry) }
    settle()
  }

  private func ask(_ entry: Entry) {
    entry.isAsked = true
    if let reason = entry.file.refusal() {
      entry.answer = Answer(refused: [refusal(of: entry.file, reason)])
      return
    }
    host.describe(plugin: entry.file.path, deadline: Self.deadline) { [weak self] outcome in
      guard let self else { return }
      entry.answer = answer(of: entry.file, outcome)
      settle()
    }
  }

  /// Puts the answers in the folders' order and tells those who wait, once nothing is being asked.
  private func settle() {
    let answers = entries.compactMap(\.answer)
    guard answers.count == entries.count else { return }
    var found: [PluginSource] = []
    var refusals: [RefusedPlugin] = []
    for answer in answers {
      refusals += answer.refused
      for source in answer.sources {
        if let first = found.first(where: { $0.id == source.id }) {
          refusals.append(
            RefusedPlugin(
              id: source.id, plugin: source.plugin,
              reason: "\(first.plugin) offers the same id and comes first"))
        } else {
          found.append(source)
        }
      }
    }
    let isNew = found != sources || refusals != refused
    sources = found
    refused = refusals
    if isNew { onChange?() }
    let ready = waiting
    waiting = []
    for then in ready { then() }
  }

  private func answer(
    of file: PluginFile, _ outcome: SourceHost.Outcome
  ) -> Answer {
    var answer = Answer()
    for message in outcome.messages {
      switch message.word {
      case "source":
        let id = message["id"] ?? ""
        guard isCleanID(id) else {
          answer.refused.append(refusal(of: file, "its id is not clean (a-z, 0-9, - and _)"))
          continue
        }
        let flags = (message["flags"] ?? "").split(separator: " ").compactMap {
          PluginSource.Flag(rawValue: String($0))
        }
        answer.sources.append(
          PluginSource(
            id: id, name: message["name"] ?? id, plugin: file.path, flags: Set(flags)))
      case "failed":
        answer.refused.append(refusal(of: file, message["text"] ?? "it could not be loaded"))
      default: break
      }
    }
    if answer == Answer() {
      answer.refused.append(refusal(of: file, outcome.end))
    }
    return answer
  }

  private func refusal(of file: PluginFile, _ reason: String) -> RefusedPlugin {
    RefusedPlugin(id: file.suggestedID, plugin: file.path, reason: reason)
  }
}
