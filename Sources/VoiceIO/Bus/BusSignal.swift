/// A signal that came from the bus.
///
/// Descriptors among the arguments are closed when the handlers have run.
package struct BusSignal: Equatable, Sendable {
  /// The unique name of who sent it; `org.freedesktop.DBus` for the bus itself.
  package let sender: String
  package let path: String
  package let interface: String
  package let member: String
  package let arguments: [BusValue]

  package init(
    sender: String, path: String, interface: String, member: String, arguments: [BusValue]
  ) {
    self.sender = sender
    self.path = path
    self.interface = interface
    self.member = member
    self.arguments = arguments
  }
}
