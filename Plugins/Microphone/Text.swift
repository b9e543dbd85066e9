/// A name as PipeWire has it: bytes, usually UTF-8, not necessarily.
///
/// Compared byte by byte, which needs no Unicode tables.
struct Text: Equatable {
  var bytes: [UInt8]

  init(_ bytes: [UInt8] = []) { self.bytes = bytes }

  init(_ literal: StaticString) {
    bytes = Array(UnsafeBufferPointer(start: literal.utf8Start, count: literal.utf8CodeUnitCount))
  }

  /// Copies a C string; nil for a null pointer.
  init?(cString string: UnsafePointer<CChar>?) {
    guard let string else { return nil }
    var at = UnsafeRawPointer(string).assumingMemoryBound(to: UInt8.self)
    bytes = []
    while at.pointee != 0 {
      bytes.append(at.pointee)
      at += 1
    }
  }

  init(_ number: UInt32) { bytes = Array(String(number).utf8) }

  var isEmpty: Bool { bytes.isEmpty }

  /// The number that the text is, if it is nothing but digits.
  var number: UInt64? {
    guard !bytes.isEmpty, bytes.count < 19 else { return nil }
    var value: UInt64 = 0
    for byte in bytes {
      guard byte >= 48, byte <= 57 else { return nil }
      value = value * 10 + UInt64(byte - 48)
    }
    return value
  }

  func hasPrefix(_ prefix: Text) -> Bool { bytes.starts(with: prefix.bytes) }

  func dropping(_ prefix: Text) -> Text { Text(Array(bytes.dropFirst(prefix.bytes.count))) }

  static func + (left: Text, right: Text) -> Text { Text(left.bytes + right.bytes) }

  /// Calls with the text as a C string, which is valid during the call only.
  func withCString<R>(_ body: (UnsafePointer<CChar>) -> R) -> R {
    let copy = UnsafeMutablePointer<CChar>.allocate(capacity: bytes.count + 1)
    defer { copy.deallocate() }
    for i in bytes.indices { copy[i] = CChar(bitPattern: bytes[i]) }
    copy[bytes.count] = 0
    return body(copy)
  }
}
