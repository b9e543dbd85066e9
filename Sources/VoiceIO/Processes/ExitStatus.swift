import Glibc

/// How a child ended.
package enum ExitStatus: Equatable, Sendable {
  case exited(Int32)
  case signalled(Int32)

  /// Reads what `waitpid` gives.
  package init(waitStatus status: Int32) {
    let signal = status & 0x7f
    self = signal == 0 ? .exited((status >> 8) & 0xff) : .signalled(signal)
  }

  package var isSuccess: Bool { self == .exited(0) }

  /// For a person, to go on after the child's name: "ended with status 3".
  package var text: String {
    switch self {
    case .exited(let code): return "ended with status \(code)"
    case .signalled(let number):
      guard let name = strsignal(number) else { return "was ended by signal \(number)" }
      return "was ended by signal \(number) (\(String(cString: name)))"
    }
  }
}
