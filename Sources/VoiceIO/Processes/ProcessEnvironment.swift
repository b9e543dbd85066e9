import CLinux
import Glibc

/// The environment this process was started with.
package enum ProcessEnvironment {
  /// Every variable; text that is not UTF-8 is repaired, of a name given twice the first counts.
  package static var all: [String: String] {
    var all: [String: String] = [:]
    guard var next = clinux_environ() else { return all }
    while let entry = next.pointee {
      next += 1
      let parts = String(cString: entry).split(
        separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      if parts.count == 2, all[String(parts[0])] == nil { all[String(parts[0])] = String(parts[1]) }
    }
    return all
  }

  /// One variable; `nil` when it is not set or empty, which the XDG rules treat alike.
  package static func value(_ name: String) -> String? {
    guard let value = getenv(name) else { return nil }
    let text = String(cString: value)
    return text.isEmpty ? nil : text
  }
}
