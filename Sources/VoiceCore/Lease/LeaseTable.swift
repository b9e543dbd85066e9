/// Who holds which lease and which private session, and how many more of them there may be.
///
/// Both are known by their object path and belong to one connection. A value; the daemon keeps one.
package struct LeaseTable: Equatable, Sendable {
  /// How many a client may hold, and how many there may be in all.
  package struct Limits: Equatable, Sendable {
    package var ofClient: Int
    package var total: Int
  }

  package static let leases = Limits(ofClient: 16, total: 256)
  package static let recorders = Limits(ofClient: 4, total: 32)

  private var leases = Holdings()
  private var recorders = Holdings()

  package init() {}

  package var leaseCount: Int { leases.owners.count }
  package var recorderCount: Int { recorders.owners.count }

  /// Notes a lease; LimitExceeded when the owner, or all together, hold as many as they may.
  package mutating func admitLease(path: String, owner: String) throws(Refusal) {
    try leases.admit(path, owner: owner, within: Self.leases, called: "leases")
  }

  /// Notes a private session; LimitExceeded as for leases.
  package mutating func admitRecorder(path: String, owner: String) throws(Refusal) {
    try recorders.admit(path, owner: owner, within: Self.recorders, called: "private recorders")
  }

  /// The connection that a path belongs to; `nil` when it is none of these.
  package func owner(of path: String) -> String? { leases.owners[path] ?? recorders.owners[path] }

  /// What a connection holds, in no order.
  package func paths(of owner: String) -> [String] {
    [leases, recorders].flatMap { $0.owners.filter { $0.value == owner }.map(\.key) }
  }

  /// Forgets a path, whatever it is; a path that is not held changes nothing.
  package mutating func remove(path: String) {
    leases.remove(path)
    recorders.remove(path)
  }
}

/// Paths of one kind and their owners, counted.
private struct Holdings: Equatable, Sendable {
  private(set) var owners: [String: String] = [:]
  private var counts: [String: Int] = [:]

  mutating func admit(
    _ path: String, owner: String, within limits: LeaseTable.Limits, called name: String
  ) throws(Refusal) {
    guard counts[owner, default: 0] < limits.ofClient else {
      throw Refusal(.limitExceeded, "a program may hold \(limits.ofClient) \(name)")
    }
    guard owners.count < limits.total else {
      throw Refusal(.limitExceeded, "there may be \(limits.total) \(name) in all")
    }
    remove(path)
    owners[path] = owner
    counts[owner, default: 0] += 1
  }

  mutating func remove(_ path: String) {
    guard let owner = owners.removeValue(forKey: path), let count = counts[owner] else { return }
    counts[owner] = count > 1 ? count - 1 : nil
  }
}
