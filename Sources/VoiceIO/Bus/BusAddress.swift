import CDBus

extension Bus {
  /// Which bus to connect to.
  package enum Address: Equatable, Sendable {
    /// `$DBUS_SESSION_BUS_ADDRESS`, else the socket `bus` in `$XDG_RUNTIME_DIR`. libdbus's own
    /// search would go on to start a bus of its own.
    case session
    /// `$DBUS_SYSTEM_BUS_ADDRESS`, else the well-known socket.
    case system
    /// A D-Bus address, such as `unix:path=/x`.
    case other(String)

    func text() throws(BusFailure) -> String {
      switch self {
      case .other(let text): return text
      case .system:
        return ProcessEnvironment.value("DBUS_SYSTEM_BUS_ADDRESS")
          ?? "unix:path=/run/dbus/system_bus_socket"
      case .session:
        if let text = ProcessEnvironment.value("DBUS_SESSION_BUS_ADDRESS") { return text }
        guard let folder = BaseFolders().runtime,
          let escaped = dbus_address_escape_value(folder + "/bus")
        else {
          throw .standard(
            "NoServer",
            "no session bus: DBUS_SESSION_BUS_ADDRESS and XDG_RUNTIME_DIR are both not set")
        }
        defer { dbus_free(escaped) }
        return "unix:path=" + String(cString: escaped)
      }
    }
  }
}
