import Glibc

/// A system call that failed: what was tried, and the errno.
package struct IOError: Error, Equatable {
  /// What was tried, in words that go on with the reason: "open /x".
  package let operation: String
  /// The errno.
  package let code: Int32

  package init(operation: String, code: Int32) {
    self.operation = operation
    self.code = code
  }

  /// The error of the call that just failed; reads `errno`, so make it at once.
  package static func last(_ operation: String) -> IOError {
    IOError(operation: operation, code: errno)
  }

  /// For a person: "open /x: Permission denied".
  package var text: String {
    guard let reason = strerror(code) else { return "\(operation): error \(code)" }
    return "\(operation): \(String(cString: reason))"
  }
}
