import CDBus
import Glibc

extension Bus {
  /// Emits a signal, to everybody who subscribed or to one peer; false when it was not sent.
  ///
  /// A `droppable` one is dropped while the bus is slow to take what is unsent, every other only
  /// when that has grown beyond reason.
  @discardableResult
  package func emit(
    path: String, interface: String, member: String, _ arguments: [BusValue] = [],
    to destination: String? = nil, droppable: Bool = false
  ) -> Bool {
    guard unsentBytes <= (droppable ? Self.droppableLimit : Self.unsentLimit) else {
      droppedSignals += 1
      return false
    }
    guard dbus_validate_path(path, nil) != 0, dbus_validate_interface(interface, nil) != 0,
      dbus_validate_member(member, nil) != 0,
      let message = dbus_message_new_signal(path, interface, member)
    else {
      refusedMessages += 1
      return false
    }
    defer { dbus_message_unref(message) }
    if let destination {
      guard dbus_validate_bus_name(destination, nil) != 0,
        dbus_message_set_destination(message, destination) != 0
      else {
        refusedMessages += 1
        return false
      }
    }
    return fill(message, arguments) && send(message)
  }

  /// Calls a peer's method; `then` is called once, from the loop, with what came back.
  ///
  /// `timeout` is in seconds. Descriptors in the reply are for `then` to close. When this bus object
  /// is let go before, `then` is not called.
  package func call(
    destination: String, path: String, interface: String, member: String,
    _ arguments: [BusValue] = [], timeout: Double = 5,
    then: @escaping (Result<[BusValue], BusFailure>) -> Void
  ) {
    guard
      let message = newCall(
        destination: destination, path: path, interface: interface, member: member, arguments)
    else {
      loop.later { then(.failure(.standard("InvalidArgs", "\(member) cannot be sent like this"))) }
      return
    }
    defer { dbus_message_unref(message) }
    var pending: OpaquePointer?
    let isSent = dbus_connection_send_with_reply(
      connection, message, &pending, Self.milliseconds(timeout))
    guard isSent != 0, let pending else {
      loop.later { then(.failure(.disconnected)) }
      return
    }
    dbus_pending_call_set_notify(
      pending,
      { pending, pointer in
        guard let pending, let pointer, let reply = dbus_pending_call_steal_reply(pending)
        else { return }
        defer { dbus_message_unref(reply) }
        let box = Unmanaged<ReplyBox>.fromOpaque(pointer).takeUnretainedValue()
        box.tell(Bus.result(of: reply))
      },
      Unmanaged.passRetained(ReplyBox(self, then)).toOpaque(),
      { pointer in
        if let pointer { Unmanaged<ReplyBox>.fromOpaque(pointer).release() }
      })
    dbus_pending_call_unref(pending)
  }

  /// Calls a peer's method and waits for the answer at most `timeout` seconds.
  ///
  /// For programs with nothing else to do meanwhile: the loop stands still. What else comes in is
  /// handled by the loop after.
  package func callAndWait(
    destination: String, path: String, interface: String, member: String,
    _ arguments: [BusValue] = [], timeout: Double
  ) throws(BusFailure) -> [BusValue] {
    guard
      let message = newCall(
        destination: destination, path: path, interface: interface, member: member, arguments)
    else { throw .standard("InvalidArgs", "\(member) cannot be sent like this") }
    return try Self.exchange(connection, message, timeout: timeout).get()
  }

  /// Sends a call, waits for its answer, and lets go of the message.
  static func exchange(
    _ connection: OpaquePointer, _ message: OpaquePointer, timeout: Double
  ) -> Result<[BusValue], BusFailure> {
    defer { dbus_message_unref(message) }
    do throws(BusFailure) {
      let reply = try BusFailure.check {
        dbus_connection_send_with_reply_and_block(
          connection, message, Self.milliseconds(timeout), $0)
      }
      guard let reply else { return .failure(.disconnected) }
      defer { dbus_message_unref(reply) }
      return result(of: reply)
    } catch { return .failure(error) }
  }

  /// Answers a call of a peer; an answer that cannot be sent becomes an error.
  func answer(_ peer: String, _ serial: UInt32, _ result: Result<[BusValue], BusFailure>) {
    let isError = if case .failure = result { true } else { false }
    let type = isError ? DBUS_MESSAGE_TYPE_ERROR : DBUS_MESSAGE_TYPE_METHOD_RETURN
    guard let message = dbus_message_new(type) else { return }
    defer { dbus_message_unref(message) }
    dbus_message_set_no_reply(message, 1)
    dbus_message_set_reply_serial(message, serial)
    if !peer.isEmpty { dbus_message_set_destination(message, peer) }
    switch result {
    case .success(let values):
      if fill(message, values) {
        send(message)
      } else {
        answer(peer, serial, .failure(.standard("Failed", "the result cannot be sent")))
      }
    case .failure(let failure):
      let isValid = dbus_validate_error_name(failure.name, nil) != 0
      if !isValid { refusedMessages += 1 }
      dbus_message_set_error_name(
        message, isValid ? failure.name : "org.freedesktop.DBus.Error.Failed")
      if fill(message, [.string(failure.text)]) { send(message) }
    }
  }

  @discardableResult
  func send(_ message: OpaquePointer) -> Bool {
    isConnected && dbus_connection_send(connection, message, nil) != 0
  }

  /// Values or an error out of a reply.
  static func result(of reply: OpaquePointer) -> Result<[BusValue], BusFailure> {
    var reader = BusMessageReader()
    let values = reader.arguments(of: reply)
    if dbus_message_get_type(reply) == DBUS_MESSAGE_TYPE_ERROR {
      for descriptor in reader.descriptors { close(descriptor) }
      let name = dbus_message_get_error_name(reply).map { String(cString: $0) }
      return .failure(BusFailure(name: name ?? "", text: values?.first?.text ?? ""))
    }
    if let values { return .success(values) }
    for descriptor in reader.descriptors { close(descriptor) }
    return .failure(.standard("LimitsExceeded", "the reply is too large"))
  }

  private func newCall(
    destination: String, path: String, interface: String, member: String, _ arguments: [BusValue]
  ) -> OpaquePointer? {
    guard dbus_validate_bus_name(destination, nil) != 0, dbus_validate_path(path, nil) != 0,
      dbus_validate_interface(interface, nil) != 0, dbus_validate_member(member, nil) != 0,
      let message = dbus_message_new_method_call(destination, path, interface, member)
    else {
      refusedMessages += 1
      return nil
    }
    if fill(message, arguments) { return message }
    dbus_message_unref(message)
    return nil
  }

  private func fill(_ message: OpaquePointer, _ values: [BusValue]) -> Bool {
    if BusMessageWriter.append(values, to: message) { return true }
    refusedMessages += 1
    return false
  }

  private static func milliseconds(_ seconds: Double) -> Int32 {
    Int32(max(1, min(seconds * 1000, Double(Int32.max - 1))))
  }
}

/// Carries a Swift closure through libdbus, which lets go of it without a word when the bus ends.
private final class ReplyBox {
  private weak var bus: Bus?
  private var then: ((Result<[BusValue], BusFailure>) -> Void)?

  init(_ bus: Bus, _ then: @escaping (Result<[BusValue], BusFailure>) -> Void) {
    self.bus = bus
    self.then = then
  }

  deinit {
    guard let bus, let then else { return }
    bus.loop.later { then(.failure(.disconnected)) }
  }

  func tell(_ result: Result<[BusValue], BusFailure>) {
    let then = then
    self.then = nil
    then?(result)
  }
}
