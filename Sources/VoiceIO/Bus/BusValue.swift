/// A value on the bus.
package indirect enum BusValue: Equatable, Sendable {
  case byte(UInt8)
  case boolean(Bool)
  case int16(Int16)
  case uint16(UInt16)
  case int32(Int32)
  case uint32(UInt32)
  case int64(Int64)
  case uint64(UInt64)
  case double(Double)
  /// Text; what follows a zero byte is cut, the bus cannot carry it.
  case string(String)
  case path(String)
  case signature(String)
  /// A descriptor: sending copies it, and says who closes a received one where it is received.
  case descriptor(Int32)
  /// Elements of one signature; `{sv}` and the like hold structures of two.
  case array(of: String, [BusValue])
  /// `a{sv}`: each value travels inside a variant, which is not shown here.
  case dictionary([String: BusValue])
  case structure([BusValue])
  case variant(BusValue)

  package static func strings(_ texts: [String]) -> BusValue {
    .array(of: "s", texts.map { .string($0) })
  }
  package static func doubles(_ numbers: [Double]) -> BusValue {
    .array(of: "d", numbers.map { .double($0) })
  }
  package static func dictionaries(_ entries: [[String: BusValue]]) -> BusValue {
    .array(of: "a{sv}", entries.map { .dictionary($0) })
  }

  /// Its D-Bus signature.
  package var signature: String {
    switch self {
    case .byte: "y"
    case .boolean: "b"
    case .int16: "n"
    case .uint16: "q"
    case .int32: "i"
    case .uint32: "u"
    case .int64: "x"
    case .uint64: "t"
    case .double: "d"
    case .string: "s"
    case .path: "o"
    case .signature: "g"
    case .descriptor: "h"
    case .array(let element, _): "a" + element
    case .dictionary: "a{sv}"
    case .structure(let fields): "(" + fields.map(\.signature).joined() + ")"
    case .variant: "v"
    }
  }
}

/// Reading a value without caring for variants around it or the width of a number.
extension BusValue {
  /// A string, object path or signature.
  package var text: String? {
    switch unwrapped {
    case .string(let text), .path(let text), .signature(let text): text
    default: nil
    }
  }

  package var flag: Bool? {
    if case .boolean(let flag) = unwrapped { flag } else { nil }
  }

  /// A whole number that fits.
  package var whole: Int64? {
    switch unwrapped {
    case .byte(let number): Int64(number)
    case .int16(let number): Int64(number)
    case .uint16(let number): Int64(number)
    case .int32(let number): Int64(number)
    case .uint32(let number): Int64(number)
    case .int64(let number): number
    case .uint64(let number): Int64(exactly: number)
    default: nil
    }
  }

  /// A double, or a whole number as one.
  package var number: Double? {
    if case .double(let number) = unwrapped { number } else { whole.map { Double($0) } }
  }

  package var entries: [String: BusValue]? {
    if case .dictionary(let entries) = unwrapped { entries } else { nil }
  }

  /// The elements of an array or the fields of a structure.
  package var items: [BusValue]? {
    switch unwrapped {
    case .array(_, let items), .structure(let items): items
    default: nil
    }
  }

  private var unwrapped: BusValue {
    var value = self
    while case .variant(let inner) = value { value = inner }
    return value
  }
}
