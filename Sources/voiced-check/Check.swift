/// One named rule, and how to find out whether a library keeps it.
///
/// Each check runs in a process of its own, so that what it breaks is its own.
struct Check: Sendable {
  enum Body: Sendable {
    /// About the library as a whole: runs once.
    case library(@Sendable (Subject) throws(Finding) -> Finding)
    /// About one of its sources: runs once for each.
    case source(@Sendable (Subject) throws(Finding) -> Finding)
  }

  /// `group.rule`, lower case.
  let name: String
  /// A paragraph: what is tried, and why it matters.
  let text: String
  /// Checks that must have passed: without them this one would find their fault again.
  var needs: [String] = []
  /// Checks that must not have failed; one that was skipped is no obstacle.
  var after: [String] = []
  /// Seconds until the process is ended and the check has failed.
  var deadline = 10.0
  let body: Body

  var group: String { String(name.prefix { $0 != "." }) }

  static func library(
    _ name: String, needs: [String] = [], after: [String] = [], deadline: Double = 10,
    _ text: String, _ body: @escaping @Sendable (Subject) throws(Finding) -> Finding
  ) -> Check {
    Check(
      name: name, text: text, needs: needs, after: after, deadline: deadline,
      body: .library(body))
  }

  static func source(
    _ name: String, needs: [String] = [], after: [String] = [], deadline: Double = 10,
    _ text: String, _ body: @escaping @Sendable (Subject) throws(Finding) -> Finding
  ) -> Check {
    Check(
      name: name, text: text, needs: needs, after: after, deadline: deadline, body: .source(body))
  }
}

extension Check {
  /// Every check, in the order of the table; the order they run in follows from what they need.
  static let all: [Check] =
    library + instance + rates + clock + realtime + targets + growth + containment

  static func named(_ name: String) -> Check? { all.first { $0.name == name } }
}
