import VoiceIO

/// Folders and environment of a desktop session that only one test knows.
package final class PrivateDesktop {
  package let folder: TemporaryFolder
  /// `XDG_RUNTIME_DIR`: sockets.
  package let runtime: String
  /// `XDG_STATE_HOME`, `XDG_CONFIG_HOME` and `HOME`.
  package let state: String
  package let config: String
  package let home: String
  /// What every process of this session is started with.
  package let environment: [String: String]
  /// Where the session bus is, once somebody starts it.
  package let busAddress: String

  package init() throws {
    folder = try TemporaryFolder()
    runtime = try folder.folder("r")
    state = try folder.folder("s")
    config = try folder.folder("c")
    home = try folder.folder("h")
    busAddress = "unix:path=\(runtime)/bus"
    var environment = ProcessEnvironment.all
    for name in [
      "DISPLAY", "WAYLAND_DISPLAY", "PULSE_SERVER", "NOTIFY_SOCKET", "LISTEN_FDS", "LISTEN_PID",
      "DBUS_STARTER_ADDRESS", "DBUS_STARTER_BUS_TYPE", "VOICED_PLUGIN_PATH",
    ] {
      environment[name] = nil
    }
    environment["XDG_RUNTIME_DIR"] = runtime
    environment["PIPEWIRE_RUNTIME_DIR"] = runtime
    environment["XDG_STATE_HOME"] = state
    environment["XDG_CONFIG_HOME"] = config
    environment["XDG_DATA_HOME"] = try folder.folder("d")
    environment["XDG_CACHE_HOME"] = try folder.folder("k")
    environment["HOME"] = home
    environment["DBUS_SESSION_BUS_ADDRESS"] = busAddress
    environment["DBUS_SYSTEM_BUS_ADDRESS"] = "unix:path=\(runtime)/no-system-bus"
    environment["LC_ALL"] = "C.UTF-8"
    self.environment = environment
  }

  /// Path of a log file in it.
  package func log(_ name: String) -> String { "\(folder.path)/\(name).log" }

  /// What is in a log file.
  package func logText(_ name: String) -> String {
    String(decoding: ProcessFacts.content(of: log(name)), as: UTF8.self)
  }
}
