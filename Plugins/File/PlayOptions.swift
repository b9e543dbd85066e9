import CAV

/// The option lines of the file source: `loop=1`, `start=SECONDS`.
///
/// Keys it does not know are left alone, because options travel with sources of every kind.
struct PlayOptions {
  /// Play again from `start` when the end is reached, without a gap.
  var loop = false
  /// Seconds to leave out at the head of the file.
  var start = 0.0

  /// Longest `start` taken, in seconds: ten years, so that frame counts stay far from overflow.
  static let furthest = 3.2e8

  init(_ lines: UnsafePointer<CChar>?) throws(Refusal) {
    guard let lines else { return }
    var line = lines
    while line.pointee != 0 {
      var end = line
      while end.pointee != 0, end.pointee != Self.newline { end += 1 }
      if let value = Self.value(of: "loop", from: line, to: end) {
        loop = try Self.flag(value)
      } else if let value = Self.value(of: "start", from: line, to: end) {
        start = try Self.seconds(value)
      }
      line = end.pointee == 0 ? end : end + 1
    }
  }

  private static let newline = CChar(bitPattern: UInt8(ascii: "\n"))

  /// The text after `key=`; `nil` when the line has another key.
  private static func value(
    of key: StaticString, from line: UnsafePointer<CChar>, to end: UnsafePointer<CChar>
  ) -> [CChar]? {
    let length = key.utf8CodeUnitCount
    guard end - line > length, memcmp(line, key.utf8Start, length) == 0,
      line[length] == CChar(bitPattern: UInt8(ascii: "="))
    else { return nil }
    return [CChar](UnsafeBufferPointer(start: line + length + 1, count: end - line - length - 1))
      + [0]
  }

  private static func flag(_ value: [CChar]) throws(Refusal) -> Bool {
    if value.count == 2 {
      if value[0] == CChar(bitPattern: UInt8(ascii: "1")) { return true }
      if value[0] == CChar(bitPattern: UInt8(ascii: "0")) { return false }
    }
    throw Refusal(cause: .badOption, text: "loop must be 0 or 1")
  }

  private static func seconds(_ value: [CChar]) throws(Refusal) -> Double {
    var parsed = 0.0
    let whole = value.withUnsafeBufferPointer { text -> Bool in
      guard let first = text.baseAddress, text.count > 1 else { return false }
      var end: UnsafeMutablePointer<CChar>?
      parsed = strtod(first, &end)
      return end.map { UnsafePointer($0) == first + (text.count - 1) } ?? false
    }
    guard whole, parsed >= 0, parsed <= furthest else {
      throw Refusal(
        cause: .badOption, text: "start must be a number of seconds, from 0 to ten years")
    }
    return parsed
  }
}
