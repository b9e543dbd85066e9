import CDBus

/// Where a received message comes from and what it is about; a field it lacks is empty.
struct BusHeader {
  let sender: String
  let path: String
  let interface: String
  let member: String
  let signature: String

  init(_ message: OpaquePointer) {
    func text(_ field: UnsafePointer<CChar>?) -> String { field.map { String(cString: $0) } ?? "" }
    sender = text(dbus_message_get_sender(message))
    path = text(dbus_message_get_path(message))
    interface = text(dbus_message_get_interface(message))
    member = text(dbus_message_get_member(message))
    signature = text(dbus_message_get_signature(message))
  }
}
