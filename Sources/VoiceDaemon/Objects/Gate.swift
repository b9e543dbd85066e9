import VoiceCore
import VoiceIO

/// Decides who may listen to what: what is known without asking the audio server.
struct Gate {
  let catalog: PluginCatalog
  let access: AccessSwitch
  /// What a sandboxed application hears that the user has not let listen.
  static let portal = Refusal(
    .accessDenied, "the portal has not allowed the microphone: allow it in the privacy settings")
  /// The daemon ends: nobody may begin anything more.
  var isClosed = false

  init(catalog: PluginCatalog, access: AccessSwitch) {
    self.catalog = catalog
    self.access = access
  }

  /// The source, when there is one of that id.
  func source(_ id: String) throws(Refusal) -> PluginSource {
    if let source = catalog.source(id) { return source }
    if let refused = catalog.refused.first(where: { $0.id == id }) {
      throw Refusal(.noSuchSource, "\(id) was refused: \(refused.reason)")
    }
    let names = catalog.sources.map(\.id).joined(separator: ", ")
    throw Refusal(.noSuchSource, "no '\(id.prefix(64))' among \(names)")
  }

  /// The source, when the caller may listen to it there.
  func admit(
    _ client: ClientName, source id: String, target: String, playback: Playback, recording: Bool
  ) throws(Refusal) -> PluginSource {
    if isClosed { throw Refusal(.sourceUnavailable, "voiced is about to end") }
    let source = try source(id)
    if recording, source.flags.contains(.levelsOnly) {
      throw Refusal(.noSound, "\(id) has levels only and can be monitored, not recorded")
    }
    if source.flags.contains(.hearsTheUser), playback != .whole {
      throw Refusal(.invalidValue, "\(id) is live: it has no 'start' and no 'loop'")
    }
    if source.flags.contains(.hearsTheUser), !access.isOn { throw Refusal(.accessOff) }
    guard !client.isPlain else { return source }
    if client.sandbox != nil, source.flags.contains(.hearsTheUser), !client.mayListen {
      throw Self.portal
    }
    try allow(client, source: id, target: target)
    if !client.isKnown, !recording {
      throw Refusal(.accessDenied, "the caller was gone before the bus could tell who it is")
    }
    return source
  }

  /// Refuses what no sandboxed application may listen to, nor point anybody else's takes at.
  func allow(_ client: ClientName, source id: String, target: String) throws(Refusal) {
    let isForeign = ["monitor:", "app:"].contains { target.utf8.starts(with: $0.utf8) }
    guard client.isPlain || (id != "file" && !isForeign) else {
      throw Refusal(.accessDenied, "a sandboxed application cannot use this target")
    }
  }
}
