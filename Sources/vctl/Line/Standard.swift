import Glibc

/// Standard output and error, for commands that print and end.
enum Standard {
  /// Prints a line.
  /// - Throws: `Failure` as `print` does.
  static func say(_ line: String) throws(Failure) { try print(line + "\n") }

  /// Prints a text as it is.
  /// - Throws: `Failure` when it cannot be written; a reader that has left is no error.
  static func print(_ text: String) throws(Failure) {
    let code = put(text, STDOUT_FILENO)
    guard code != 0, code != EPIPE else { return }
    throw .output(code)
  }

  /// Prints a sentence to standard error.
  static func complain(_ sentence: String) { _ = put("vctl: " + sentence + "\n", STDERR_FILENO) }

  /// Takes the places of closed streams, which files opened later would get, and be written to.
  static func takeClosedPlaces() {
    for descriptor in STDIN_FILENO...STDERR_FILENO where fcntl(descriptor, F_GETFD) < 0 {
      // For reading only, so that what is printed still fails.
      _ = open("/dev/null", O_RDONLY)
    }
  }

  /// Writes all of it; answers 0, or the errno that kept it from that.
  private static func put(_ text: String, _ descriptor: Int32) -> Int32 {
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
      if count > 0 {
        rest = rest.dropFirst(count)
      } else if errno == EAGAIN {
        var state = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        poll(&state, 1, -1)
      } else if errno != EINTR {
        return errno
      }
    }
    return 0
  }

  /// Columns of text as a table: two blanks between, nothing after the last.
  static func table(_ rows: [[String]]) -> String {
    let count = rows.map(\.count).max() ?? 0
    let widths = (0..<count).map { column in
      rows.map { column < $0.count ? $0[column].cells : 0 }.max() ?? 0
    }
    var out = ""
    for row in rows {
      var line = ""
      for (column, text) in row.enumerated() {
        line += text
        if column + 1 < row.count {
          line += String(repeating: " ", count: widths[column] - text.cells + 2)
        }
      }
      while line.last == " " { line.removeLast() }
      out += line + "\n"
    }
    return out
  }
}
