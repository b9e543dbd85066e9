import Glibc

/// The user's base folders by the XDG rules: variables that are unset, empty or relative count as
/// not given.
package struct BaseFolders: Equatable, Sendable {
  package var home: String
  /// `$XDG_STATE_HOME`, else `~/.local/state`.
  package var state: String
  /// `$XDG_CONFIG_HOME`, else `~/.config`.
  package var config: String
  /// `$XDG_DATA_HOME`, else `~/.local/share`.
  package var data: String
  /// `$XDG_RUNTIME_DIR`; it has no fall-back.
  package var runtime: String?

  /// Reads a lookup, the process's own environment unless told otherwise.
  ///
  /// Without `HOME` the home is the one in the password file, and `/` at the last.
  package init(_ value: (String) -> String? = ProcessEnvironment.value) {
    func folder(_ name: String) -> String? {
      value(name).flatMap { $0.utf8.first == UInt8(ascii: "/") ? $0 : nil }
    }
    let home = folder("HOME") ?? Self.homeOfPasswordFile ?? "/"
    self.home = home
    state = folder("XDG_STATE_HOME") ?? home + "/.local/state"
    config = folder("XDG_CONFIG_HOME") ?? home + "/.config"
    data = folder("XDG_DATA_HOME") ?? home + "/.local/share"
    runtime = folder("XDG_RUNTIME_DIR")
  }

  private static var homeOfPasswordFile: String? {
    guard let entry = getpwuid(getuid()), let home = entry.pointee.pw_dir else { return nil }
    return String(cString: home)
  }
}
