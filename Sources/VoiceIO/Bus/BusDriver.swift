/// The bus itself as a peer.
enum BusDriver {
  static let name = "org.freedesktop.DBus"
  static let path = "/org/freedesktop/DBus"
}
