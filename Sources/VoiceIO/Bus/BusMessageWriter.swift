import CDBus
import Glibc

/// Puts values into a message, and checks beforehand whatever libdbus would abort the process for.
enum BusMessageWriter {
  /// Appends the values; false when one cannot be carried: the message is then to be thrown away.
  static func append(_ values: [BusValue], to message: OpaquePointer) -> Bool {
    var iterator = DBusMessageIter()
    dbus_message_iter_init_append(message, &iterator)
    for value in values {
      guard append(value, &iterator) else { return false }
    }
    return true
  }

  private static func append(_ value: BusValue, _ iterator: inout DBusMessageIter) -> Bool {
    switch value {
    case .byte(let number): basic(BusType.byte, number, &iterator)
    case .boolean(let flag): basic(BusType.boolean, dbus_bool_t(flag ? 1 : 0), &iterator)
    case .int16(let number): basic(BusType.int16, number, &iterator)
    case .uint16(let number): basic(BusType.uint16, number, &iterator)
    case .int32(let number): basic(BusType.int32, number, &iterator)
    case .uint32(let number): basic(BusType.uint32, number, &iterator)
    case .int64(let number): basic(BusType.int64, number, &iterator)
    case .uint64(let number): basic(BusType.uint64, number, &iterator)
    case .double(let number): basic(BusType.double, number, &iterator)
    case .string(let text): text.withCString { basic(BusType.string, $0, &iterator) }
    case .path(let path):
      path.withCString {
        dbus_validate_path($0, nil) != 0 && basic(BusType.path, $0, &iterator)
      }
    case .signature(let signature):
      signature.withCString {
        dbus_signature_validate($0, nil) != 0 && basic(BusType.signature, $0, &iterator)
      }
    case .descriptor(let descriptor):
      fcntl(descriptor, F_GETFD) >= 0 && basic(BusType.descriptor, descriptor, &iterator)
    case .array(let element, let items): array(of: element, items, &iterator)
    case .dictionary(let entries):
      array(
        of: "{sv}",
        entries.sorted { $0.key < $1.key }.map {
          .structure([.string($0.key), .variant($0.value)])
        }, &iterator)
    case .structure(let fields):
      !fields.isEmpty && container(BusType.structure, nil, fields, &iterator)
    case .variant(let inner):
      isSignature(inner.signature)
        && container(BusType.variant, inner.signature, [inner], &iterator)
    }
  }

  private static func array(
    of element: String, _ items: [BusValue], _ iterator: inout DBusMessageIter
  ) -> Bool {
    guard isSignature("a" + element) else { return false }
    let isMap = element.utf8.first == UInt8(ascii: "{")
    let expected = isMap ? "(" + element.dropFirst().dropLast() + ")" : element
    guard items.allSatisfy({ $0.signature == expected }) else { return false }
    return container(BusType.array, element, isMap ? nil : items, &iterator) { inner in
      guard isMap else { return true }
      for case .structure(let pair) in items {
        guard container(BusType.entry, nil, pair, &inner) else { return false }
      }
      return true
    }
  }

  private static func container(
    _ type: Int32, _ signature: String?, _ items: [BusValue]?, _ iterator: inout DBusMessageIter,
    more: (inout DBusMessageIter) -> Bool = { _ in true }
  ) -> Bool {
    var inner = DBusMessageIter()
    let isOpen =
      if let signature {
        dbus_message_iter_open_container(&iterator, type, signature, &inner)
      } else {
        dbus_message_iter_open_container(&iterator, type, nil, &inner)
      }
    guard isOpen != 0 else { return false }
    let isWhole = (items ?? []).allSatisfy { append($0, &inner) } && more(&inner)
    guard isWhole else {
      dbus_message_iter_abandon_container(&iterator, &inner)
      return false
    }
    return dbus_message_iter_close_container(&iterator, &inner) != 0
  }

  private static func basic<T>(
    _ type: Int32, _ value: T, _ iterator: inout DBusMessageIter
  ) -> Bool {
    withUnsafePointer(to: value) { dbus_message_iter_append_basic(&iterator, type, $0) != 0 }
  }

  private static func isSignature(_ text: String) -> Bool {
    dbus_signature_validate_single(text, nil) != 0
  }
}
