/// What one source process serves: all takes and leases on the same source and target share it.
package struct SourceKey: Hashable, Sendable {
  package var source: String
  package var target: String

  package init(source: String, target: String) {
    self.source = source
    self.target = target
  }
}
