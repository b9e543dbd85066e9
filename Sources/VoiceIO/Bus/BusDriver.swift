import CDBus

/// The bus itself as a peer.
enum BusDriver {
  static let name = "org.freedesktop.DBus"
  static let path = "/org/freedesktop/DBus"

  static func call(_ member: String) -> OpaquePointer? {
    dbus_message_new_method_call(name, path, name, member)
  }
}
