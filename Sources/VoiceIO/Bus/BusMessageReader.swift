import CDBus
import Glibc

/// Turns the arguments of a received message into values, within bounds.
///
/// libdbus has checked the message's form before. A message can be as long as 128 MiB, of single
/// bytes too: the bounds keep one from costing many times that here.
struct BusMessageReader {
  /// Containers within containers.
  static let deepest = 16
  /// Values in one message, containers included.
  static let mostValues = 65_536

  /// Descriptors taken from the message; they are the reader's caller's to close, also when
  /// reading fails.
  private(set) var descriptors: [Int32] = []
  private var left = Self.mostValues
  private let longestText: Int
  private var textLeft: Int

  /// `longestText` is where a string is cut off, in bytes; a message may have eight of those.
  init(longestText: Int = .max) {
    self.longestText = longestText
    textLeft = longestText.multipliedReportingOverflow(by: 8).overflow ? .max : 8 * longestText
  }

  /// The message's arguments; `nil` when they exceed the bounds.
  mutating func arguments(of message: OpaquePointer) -> [BusValue]? {
    var iterator = DBusMessageIter()
    guard dbus_message_iter_init(message, &iterator) != 0 else { return [] }
    return values(&iterator, depth: 0)
  }

  private mutating func values(_ iterator: inout DBusMessageIter, depth: Int) -> [BusValue]? {
    var values: [BusValue] = []
    while dbus_message_iter_get_arg_type(&iterator) != BusType.invalid {
      guard let value = value(&iterator, depth: depth) else { return nil }
      values.append(value)
      dbus_message_iter_next(&iterator)
    }
    return values
  }

  private mutating func value(_ iterator: inout DBusMessageIter, depth: Int) -> BusValue? {
    left -= 1
    guard left >= 0, depth <= Self.deepest else { return nil }
    let type = dbus_message_iter_get_arg_type(&iterator)
    if dbus_type_is_container(type) != 0 {
      return container(type, &iterator, depth: depth)
    }
    var basic = DBusBasicValue()
    dbus_message_iter_get_basic(&iterator, &basic)
    return switch type {
    case BusType.byte: .byte(basic.byt)
    case BusType.boolean: .boolean(basic.bool_val != 0)
    case BusType.int16: .int16(basic.i16)
    case BusType.uint16: .uint16(basic.u16)
    case BusType.int32: .int32(basic.i32)
    case BusType.uint32: .uint32(basic.u32)
    case BusType.int64: .int64(Int64(basic.i64))
    case BusType.uint64: .uint64(UInt64(basic.u64))
    case BusType.double: .double(basic.dbl)
    case BusType.string: text(basic.str)
    case BusType.path: path(basic.str)
    case BusType.signature: .signature(String(cString: basic.str))
    case BusType.descriptor: take(basic.fd)
    default: nil
    }
  }

  private mutating func text(_ text: UnsafePointer<CChar>) -> BusValue? {
    let length = strlen(text)
    let count = min(length, longestText)
    guard count <= textLeft else { return nil }
    textLeft -= count
    if count == length { return .string(String(cString: text)) }
    let bytes = UnsafeRawBufferPointer(start: text, count: count)
    return .string(String(decoding: bytes, as: UTF8.self))
  }

  /// A path that is cut would be another object's.
  private mutating func path(_ path: UnsafePointer<CChar>) -> BusValue? {
    let length = strlen(path)
    guard length <= min(longestText, textLeft) else { return nil }
    textLeft -= length
    return .path(String(cString: path))
  }

  private mutating func take(_ descriptor: Int32) -> BusValue {
    if descriptor >= 0 { descriptors.append(descriptor) }
    return .descriptor(descriptor)
  }

  private mutating func container(
    _ type: Int32, _ iterator: inout DBusMessageIter, depth: Int
  ) -> BusValue? {
    var inner = DBusMessageIter()
    dbus_message_iter_recurse(&iterator, &inner)
    guard type == BusType.array else {
      guard let values = values(&inner, depth: depth + 1) else { return nil }
      return type == BusType.variant ? values.first.map { .variant($0) } : .structure(values)
    }
    guard let signature = dbus_message_iter_get_signature(&iterator) else { return nil }
    defer { dbus_free(signature) }
    let element = String(cString: signature + 1)
    guard let values = values(&inner, depth: depth + 1) else { return nil }
    guard element == "{sv}" else { return .array(of: element, values) }
    var entries: [String: BusValue] = [:]
    for case .structure(let pair) in values where pair.count == 2 {
      if case .string(let key) = pair[0], case .variant(let value) = pair[1] {
        entries[key] = value
      }
    }
    return .dictionary(entries)
  }
}
