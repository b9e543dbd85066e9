import CDBus

/// What went wrong on the bus: a peer's error, or one found on this side under the same names.
package struct BusFailure: Error, Equatable {
  /// A D-Bus error name.
  package let name: String
  /// For a person.
  package let text: String

  package init(name: String, text: String) {
    self.name = name
    self.text = text
  }

  static func standard(_ name: String, _ text: String) -> BusFailure {
    BusFailure(name: "org.freedesktop.DBus.Error." + name, text: text)
  }

  static let disconnected = standard("Disconnected", "the connection to the bus is gone")

  /// Runs a libdbus call that may fill in an error, and throws that.
  static func check<R>(_ call: (UnsafeMutablePointer<DBusError>) -> R) throws(BusFailure) -> R {
    var error = DBusError()
    dbus_error_init(&error)
    defer { dbus_error_free(&error) }
    let result = call(&error)
    if dbus_error_is_set(&error) != 0 {
      throw BusFailure(
        name: error.name.map { String(cString: $0) } ?? "org.freedesktop.DBus.Error.Failed",
        text: error.message.map { String(cString: $0) } ?? "")
    }
    return result
  }
}
