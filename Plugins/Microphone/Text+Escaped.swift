extension Text {
  /// The same text as valid UTF-8 without control characters: every other byte is written as `\xHH`.
  ///
  /// Names are shown and given back in this form. It is never decoded: a name is found by comparing
  /// its own escaped form, so a name that holds a backslash of its own needs no care.
  var escaped: Text {
    var out: [UInt8] = []
    var at = 0
    while at < bytes.count {
      let length = Text.sequenceLength(bytes[at...])
      if length == 0 || Text.isControl(bytes[at...], length) {
        for byte in bytes[at..<at + max(length, 1)] { out += Text.hexadecimal(byte) }
      } else {
        out += bytes[at..<at + length]
      }
      at += max(length, 1)
    }
    return Text(out)
  }

  /// Whether a person or program that gives `given` means this name.
  func isMeant(by given: Text) -> Bool { self == given || escaped == given }

  private static func hexadecimal(_ byte: UInt8) -> [UInt8] {
    func digit(_ value: UInt8) -> UInt8 { value < 10 ? 48 + value : 87 + value }
    return [92, 120, digit(byte >> 4), digit(byte & 15)]
  }

  /// C0, delete and C1.
  private static func isControl(_ bytes: ArraySlice<UInt8>, _ length: Int) -> Bool {
    let first = bytes[bytes.startIndex]
    if length == 1 { return first < 32 || first == 127 }
    return length == 2 && first == 0xC2 && bytes[bytes.startIndex + 1] < 0xA0
  }

  /// Length of the well-formed UTF-8 sequence at the front (Unicode, table 3-7); 0 when there is none.
  private static func sequenceLength(_ bytes: ArraySlice<UInt8>) -> Int {
    let first = bytes[bytes.startIndex]
    let length: Int
    var second: ClosedRange<UInt8> = 0x80...0xBF
    switch first {
    case 0...0x7F: return 1
    case 0xC2...0xDF: length = 2
    case 0xE0: (length, second) = (3, 0xA0...0xBF)
    case 0xED: (length, second) = (3, 0x80...0x9F)
    case 0xE1...0xEF: length = 3
    case 0xF0: (length, second) = (4, 0x90...0xBF)
    case 0xF4: (length, second) = (4, 0x80...0x8F)
    case 0xF1...0xF3: length = 4
    default: return 0
    }
    guard bytes.count >= length, second.contains(bytes[bytes.startIndex + 1]) else { return 0 }
    for i in 2..<max(length, 2) where bytes[bytes.startIndex + i] & 0xC0 != 0x80 { return 0 }
    return length
  }
}
