import CDBus
import Glibc

/// A private connection to a message bus, on an event loop.
///
/// Belongs to the loop's thread. Handlers are called from the loop, never from inside a call of
/// theirs to the bus. Nothing here aborts the process for a bad name or value: such a message is
/// not sent, and counted in `refusedMessages`.
package final class Bus {
  /// Unsent bytes above which droppable signals are dropped: some hundred of them, more than a bus
  /// that is alive ever leaves waiting.
  static let droppableLimit = 64 * 1024
  /// Unsent bytes above which every signal is dropped, so that a bus that stands still cannot take
  /// the memory.
  static let unsentLimit = 8 * 1024 * 1024
  /// Bytes of received messages that may wait to be handled; above, no more are read.
  static let receivedLimit = 4 * 1024 * 1024
  /// The most descriptors a packet of a Unix socket carries: the kernel's SCM_MAX_FD.
  ///
  /// A message that exceeds what libdbus expects ends the connection, so a lower figure would let
  /// any peer end it; for the same reason the longest message is left as the protocol has it.
  static let descriptorLimit = 253

  /// Bytes of one string of a call that are read, for whoever takes no longer ones: calls may wait,
  /// and their strings are not counted by the limit on what was received.
  package var longestText = Int.max
  let loop: EventLoop
  let link: BusLink
  /// This connection's name on the bus, such as `:1.42`.
  package let uniqueName: String
  /// Hears every method call.
  package var onCall: ((BusCall) -> Void)?
  /// Hears, once, that the bus is gone; calls that wait fail in the same round or the next.
  package var onDisconnect: (() -> Void)?
  /// Signals not sent because too much was unsent.
  package internal(set) var droppedSignals = 0
  /// Messages not sent because libdbus would not have them: an error in the program.
  package internal(set) var refusedMessages = 0

  var handlers: [SignalHandler] = []
  var peers: [String: PeerWatch] = [:]
  private var isDisconnected = false

  var connection: OpaquePointer { link.connection }

  /// Connects and says hello, waiting at most `timeout` seconds for the answer.
  package convenience init(
    loop: EventLoop, address: Address, timeout: Double = 5
  ) throws(BusFailure) {
    let opened = try Self.open(address)
    do throws(BusFailure) {
      self.init(loop: loop, connection: opened, name: try Self.hello(opened, timeout: timeout))
    } catch {
      dbus_connection_close(opened)
      dbus_connection_unref(opened)
      throw error
    }
  }

  /// Connects without waiting for the bus, which may be slow or hang: what is sent follows the hello.
  ///
  /// `uniqueName` stays empty. A bus that refuses is told by `onDisconnect`.
  package convenience init(loop: EventLoop, withoutWaitingFor address: Address) throws(BusFailure) {
    let opened = try Self.open(address)
    if let message = Self.newHello() {
      dbus_connection_send(opened, message, nil)
      dbus_message_unref(message)
    }
    self.init(loop: loop, connection: opened, name: "")
  }

  private init(loop: EventLoop, connection: OpaquePointer, name: String) {
    self.loop = loop
    uniqueName = name
    link = BusLink(loop: loop, connection: connection)
    let me = Unmanaged.passUnretained(self).toOpaque()
    dbus_connection_add_filter(connection, Self.filter, me, nil)
  }

  deinit {
    let me = Unmanaged.passUnretained(self).toOpaque()
    dbus_connection_remove_filter(connection, Self.filter, me)
    link.close()
  }

  package var isConnected: Bool { dbus_connection_get_is_connected(connection) != 0 }

  /// Bytes handed over that the bus has not taken yet.
  package var unsentBytes: Int { dbus_connection_get_outgoing_size(connection) }

  /// Waits until everything is sent, or so many seconds; for the end of a program.
  package func flush(atMost seconds: Double) {
    let end = LoopTimer.later(than: EventLoop.now, by: seconds)
    while dbus_connection_has_messages_to_send(connection) != 0, isConnected,
      EventLoop.now < end
    {
      dbus_connection_read_write(connection, 10)
    }
  }

  /// Takes a well-known name, without queueing for it.
  package func requestName(_ name: String) throws(BusFailure) {
    guard dbus_validate_bus_name(name, nil) != 0 else {
      throw .standard("InvalidArgs", "\"\(name)\" is no bus name")
    }
    let flags: Int32 = DBUS_NAME_FLAG_DO_NOT_QUEUE
    let result = try callAndWait(
      destination: BusDriver.name, path: BusDriver.path, interface: BusDriver.name,
      member: "RequestName", [.string(name), .uint32(UInt32(flags))], timeout: 5)
    guard let code = result.first?.whole, code == 1 || code == 4 else {
      throw .standard("NameTaken", "another program has the name \(name) on this bus")
    }
  }

  private static func open(_ address: Address) throws(BusFailure) -> OpaquePointer {
    let text = try address.text()
    let opened = try BusFailure.check { dbus_connection_open_private(text, $0) }
    guard let opened else { throw .standard("NoServer", "cannot connect to \(text)") }
    dbus_connection_set_exit_on_disconnect(opened, 0)
    dbus_connection_set_max_received_size(opened, receivedLimit)
    dbus_connection_set_max_message_unix_fds(opened, descriptorLimit)
    dbus_connection_set_max_received_unix_fds(opened, descriptorLimit)
    return opened
  }

  private static func newHello() -> OpaquePointer? {
    dbus_message_new_method_call(BusDriver.name, BusDriver.path, BusDriver.name, "Hello")
  }

  private static func hello(
    _ connection: OpaquePointer, timeout: Double
  ) throws(BusFailure) -> String {
    guard let message = newHello() else { throw .standard("NoMemory", "no memory for a message") }
    defer { dbus_message_unref(message) }
    var answer: OpaquePointer?
    dbus_connection_send_with_reply(connection, message, &answer, Int32.max)
    guard let answer else { throw .disconnected }
    defer {
      dbus_pending_call_cancel(answer)
      dbus_pending_call_unref(answer)
    }
    // libdbus's own blocking call would wait without end for a bus that does not even authenticate.
    let end = LoopTimer.later(than: EventLoop.now, by: timeout)
    while dbus_pending_call_get_completed(answer) == 0 {
      let now = EventLoop.now
      guard now < end else {
        throw .standard("NoReply", "the bus did not answer within \(timeout) s")
      }
      let left = Int32(min(1000, (end - now) / 1_000_000 + 1))
      guard dbus_connection_read_write_dispatch(connection, left) != 0 else {
        throw .standard("NoServer", "the bus has refused the connection")
      }
    }
    guard let reply = dbus_pending_call_steal_reply(answer) else { throw .disconnected }
    defer { dbus_message_unref(reply) }
    guard let name = try result(of: reply).get().first?.text else {
      throw .standard("NoServer", "the bus gave this connection no name")
    }
    dbus_bus_set_unique_name(connection, name)
    return name
  }

  // MARK: What comes in

  private static let filter: DBusHandleMessageFunction = { _, message, pointer in
    guard let message, let pointer else { return DBUS_HANDLER_RESULT_NOT_YET_HANDLED }
    let bus = Unmanaged<Bus>.fromOpaque(pointer).takeUnretainedValue()
    return bus.receive(message)
      ? DBUS_HANDLER_RESULT_HANDLED : DBUS_HANDLER_RESULT_NOT_YET_HANDLED
  }

  private func receive(_ message: OpaquePointer) -> Bool {
    switch dbus_message_get_type(message) {
    case DBUS_MESSAGE_TYPE_METHOD_CALL:
      receive(call: message)
      return true
    case DBUS_MESSAGE_TYPE_SIGNAL:
      receive(signal: message)
      return true
    default: return false
    }
  }

  private func receive(call message: OpaquePointer) {
    let header = BusHeader(message)
    var reader = BusMessageReader(longestText: longestText)
    let arguments = reader.arguments(of: message)
    let call = BusCall(
      bus: self, message: header, serial: dbus_message_get_serial(message),
      wantsReply: dbus_message_get_no_reply(message) == 0, arguments: arguments ?? [],
      descriptors: reader.descriptors)
    if arguments == nil {
      call.fail(
        "org.freedesktop.DBus.Error.LimitsExceeded",
        "\(header.member) has too many arguments or too deep ones")
    } else if let onCall {
      onCall(call)
    } else {
      call.fail("org.freedesktop.DBus.Error.UnknownMethod", "there is no \(header.member) here")
    }
  }

  private func receive(signal message: OpaquePointer) {
    if dbus_message_is_signal(message, "org.freedesktop.DBus.Local", "Disconnected") != 0 {
      guard !isDisconnected else { return }
      isDisconnected = true
      onDisconnect?()
      return
    }
    let header = BusHeader(message)
    let wanting = handlers.filter { $0.mayWant(header) }
    if wanting.isEmpty { return }
    var reader = BusMessageReader()
    if let arguments = reader.arguments(of: message) {
      let signal = BusSignal(
        sender: header.sender, path: header.path, interface: header.interface,
        member: header.member, arguments: arguments)
      for handler in wanting where handler.wants(signal) { handler.handle(signal) }
    }
    for descriptor in reader.descriptors { close(descriptor) }
  }
}
