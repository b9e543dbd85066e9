import Glibc

/// Standard output and error, for commands that print and end.
enum Standard {
  /// Prints a line.
  static func say(_ line: String) { put(line + "\n", STDOUT_FILENO) }

  /// Prints a text as it is.
  static func print(_ text: String) { put(text, STDOUT_FILENO) }

  /// Prints a sentence to standard error.
  static func complain(_ sentence: String) { put("vctl: " + sentence + "\n", STDERR_FILENO) }

  private static func put(_ text: String, _ descriptor: Int32) {
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
      if count > 0 {
        rest = rest.dropFirst(count)
      } else if errno == EAGAIN {
        var state = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        poll(&state, 1, -1)
      } else if errno != EINTR {
        return
      }
    }
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
