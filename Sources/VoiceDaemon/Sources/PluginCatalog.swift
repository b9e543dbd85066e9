import VoiceCore
import VoiceIO

/// Which sources there are: asks each plugin in a child of its own, once for each version of its file.
///
/// No foreign code runs in the daemon. A plugin that does not answer in time is refused with a
/// reason like any other, and asked again when somebody looks later: a login is a busy time.
final class PluginCatalog {
  /// Seconds a plugin has to describe itself; the bundled ones need some 20 ms.
  private static let deadline = 2.0
  /// Seconds until one that said nothing is asked again, doubled each time, up to the longest.
  private static let firstPause = 10.0
  private static let longestPause = 600.0

  private let host: SourceHost
  private let folders: PluginFolders
  private var entries: [Entry] = []
  private var waiting: [Waiting] = []

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
    /// Why it is not loaded, by its own facts and its folder's.
    let refusal: String?
    var answer: Answer?
    var isBeingAsked = false
    /// When it may be asked again, of one that said nothing.
    var nextTry: UInt64?
    var pause = PluginCatalog.firstPause

    init(file: PluginFile, refusal: String?) {
      self.file = file
      self.refusal = refusal
    }

    func isDue(at now: UInt64) -> Bool {
      !isBeingAsked && (answer == nil || nextTry.map { now >= $0 } ?? false)
    }

    /// Waits with the next question.
    func rest(at now: UInt64) {
      nextTry = now + UInt64(pause * 1e9)
      pause = min(2 * pause, PluginCatalog.longestPause)
    }
  }

  /// Somebody who wants to know one source, or with "" all of them.
  private struct Waiting {
    let id: String
    let then: () -> Void
  }

  init(host: SourceHost, folders: PluginFolders) {
    self.host = host
    self.folders = folders
  }

  /// The source of that id, as far as is known now.
  func source(_ id: String) -> PluginSource? {
    guard case .known(let source) = judge(id) else { return nil }
    return source
  }

  /// Whether a known source's file is the one that was asked, and may still be loaded.
  func isCurrent(_ source: PluginSource) -> Bool {
    guard let entry = entries.first(where: { $0.file.path == source.plugin }) else { return false }
    return FileFacts(path: source.plugin) == entry.file.facts
      && entry.file.refusal() == entry.refusal
  }

  /// Looks at the folders again and asks what is new there.
  ///
  /// `then` runs when all is known, at once when nothing is new; with an `id` as soon as that
  /// source is known.
  func refresh(for id: String = "", then: @escaping () -> Void) {
    entries = folders.files().map { file in
      let refusal = file.refusal()
      return entries.first { $0.file == file && $0.refusal == refusal }
        ?? Entry(file: file, refusal: refusal)
    }
    waiting.append(Waiting(id: id, then: then))
    let now = EventLoop.now
    for entry in entries where entry.isDue(at: now) { ask(entry) }
    settle()
  }

  /// What is known of one id.
  private enum Judgement {
    case known(PluginSource?)
    /// The plugin named after it has not answered, or nobody else has that id so far.
    case open
  }

  /// The folders' order decides; within a folder the file named after the id.
  ///
  /// A file of another name that does not answer holds up nobody whose source is known.
  private func judge(_ id: String) -> Judgement {
    var rest = entries[...]
    var isOpen = false
    while let first = rest.first {
      let folder = rest.prefix { $0.file.folder == first.file.folder }
      rest = rest.dropFirst(folder.count)
      let named = folder.filter { $0.file.suggestedID == id }
      for entry in named + folder {
        if let source = entry.answer?.sources.first(where: { $0.id == id }) {
          return .known(source)
        }
        guard entry.answer == nil || entry.isBeingAsked else { continue }
        if entry.file.suggestedID == id { return .open }
        isOpen = true
      }
    }
    return isOpen ? .open : .known(nil)
  }

  private func ask(_ entry: Entry) {
    if let reason = entry.refusal {
      entry.answer = Answer(refused: [refusal(of: entry.file, reason)])
      return
    }
    entry.isBeingAsked = true
    host.describe(plugin: entry.file.path, deadline: Self.deadline) { [weak self] outcome in
      guard let self else { return }
      entry.isBeingAsked = false
      entry.nextTry = nil
      if let answer = answer(of: entry.file, outcome) {
        entry.answer = answer
      } else {
        entry.answer = Answer(refused: [refusal(of: entry.file, outcome.end)])
        entry.rest(at: EventLoop.now)
      }
      settle()
    }
  }

  /// Tells those whose question is answered; with the last answer, what there is in all.
  private func settle() {
    let isComplete = entries.allSatisfy { $0.answer != nil }
    if isComplete { collect() }
    let ready = waiting.filter { waiting in
      if case .known = judge(waiting.id) { return true }
      return false
    }
    waiting.removeAll { waiting in ready.contains { $0.id == waiting.id } }
    for waiting in ready { waiting.then() }
  }

  private func collect() {
    var found: [PluginSource] = []
    var refusals: [RefusedPlugin] = []
    for answer in entries.compactMap(\.answer) {
      refusals += answer.refused
      for source in answer.sources {
        if let first = self.source(source.id), first.plugin != source.plugin {
          refusals.append(
            RefusedPlugin(
              id: source.id, plugin: source.plugin,
              reason: "\(first.plugin) \(WireNames.comesFirst)"))
        } else if !found.contains(where: { $0.id == source.id }) {
          found.append(source)
        }
      }
    }
    guard found != sources || refusals != refused else { return }
    sources = found
    refused = refusals
    onChange?()
  }

  /// What it said, or `nil` when it said nothing.
  private func answer(of file: PluginFile, _ outcome: SourceHost.Outcome) -> Answer? {
    var answer = Answer()
    for message in outcome.messages {
      switch message.word {
      case "source":
        let id = message["id"] ?? ""
        guard isCleanID(id) else {
          answer.refused.append(
            refusal(of: file, "its id is not clean (a-z, 0-9 and -, a letter first)"))
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
    return answer == Answer() ? nil : answer
  }

  private func refusal(of file: PluginFile, _ reason: String) -> RefusedPlugin {
    RefusedPlugin(id: file.suggestedID, plugin: file.path, reason: reason)
  }
}
