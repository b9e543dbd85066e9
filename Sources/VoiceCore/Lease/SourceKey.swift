/// What one source process is shared by: takes and leases on the same source and target that want
/// it played the same way.
package struct SourceKey: Hashable, Sendable {
  package let source: String
  package let target: String
  package let playback: Playback

  package init(source: String, target: String, playback: Playback = .whole) {
    self.source = source
    // An empty target and the word `default` are the same microphone.
    self.target = source == "microphone" && target.isEmpty ? "default" : target
    self.playback = playback
  }
}
