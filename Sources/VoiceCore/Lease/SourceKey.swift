/// What one source process is shared by: takes and leases on the same source and target.
package struct SourceKey: Hashable, Sendable {
  package let source: String
  package let target: String

  package init(source: String, target: String) {
    self.source = source
    // An empty target and the word `default` are the same microphone.
    self.target = source == "microphone" && target.isEmpty ? "default" : target
  }
}
