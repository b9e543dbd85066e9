import Glibc

/// One line on standard error, which the user's journal keeps.
package func log(_ text: String) {
  var line = "voiced: " + text + "\n"
  line.withUTF8 { _ = write(2, $0.baseAddress, $0.count) }
}
