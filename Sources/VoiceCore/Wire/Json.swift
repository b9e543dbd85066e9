/// A JSON value to be written; what is not valid JSON cannot be made of it.
///
///     Json.object([("phase", .string("locked")), ("level", .number(0.5, decimals: 2))]).text
package indirect enum Json: Equatable, Sendable {
  case null
  case boolean(Bool)
  case integer(Int64)
  /// Written with exactly that many decimals (0 to 9) and a point, whatever the locale; what is not
  /// finite is written as null.
  case number(Double, decimals: Int)
  case string(String)
  case array([Json])
  /// Members in the order given.
  case object([Member])

  package struct Member: Equatable, Sendable {
    package var key: String
    package var value: Json

    package init(_ key: String, _ value: Json) {
      self.key = key
      self.value = value
    }
  }

  /// An object of pairs, in their order.
  package static func object(_ pairs: KeyValuePairs<String, Json>) -> Json {
    .object(pairs.map { Member($0.key, $0.value) })
  }

  /// The value on one line, without blanks.
  package var text: String {
    var out = ""
    write(to: &out)
    return out
  }

  package func write(to out: inout String) {
    switch self {
    case .null: out += "null"
    case .boolean(let value): out += value ? "true" : "false"
    case .integer(let value): out += "\(value)"
    case .number(let value, let decimals):
      out += value.isFinite ? decimalText(value, decimals: decimals) : "null"
    case .string(let value): Self.quote(value, to: &out)
    case .array(let values):
      out += "["
      for (index, value) in values.enumerated() {
        if index > 0 { out += "," }
        value.write(to: &out)
      }
      out += "]"
    case .object(let members):
      out += "{"
      for (index, member) in members.enumerated() {
        if index > 0 { out += "," }
        Self.quote(member.key, to: &out)
        out += ":"
        member.value.write(to: &out)
      }
      out += "}"
    }
  }

  private static func quote(_ value: String, to out: inout String) {
    out += "\""
    for scalar in value.unicodeScalars {
      switch scalar {
      case "\"": out += "\\\""
      case "\\": out += "\\\\"
      case "\n": out += "\\n"
      case "\r": out += "\\r"
      case "\t": out += "\\t"
      // Control characters must be escaped; the two separators would end a line for some readers.
      case "\0"..<" ", "\u{7f}", "\u{2028}", "\u{2029}":
        let digits = String(scalar.value, radix: 16)
        out += "\\u" + String(repeating: "0", count: 4 - digits.utf8.count) + digits
      default: out.unicodeScalars.append(scalar)
      }
    }
    out += "\""
  }
}

/// A finite number with exactly that many decimals (0 to 9), rounded half away from zero, with a point.
package func decimalText(_ value: Double, decimals: Int) -> String {
  let decimals = min(9, max(0, decimals))
  let scale = (0..<decimals).reduce(Int64(1)) { scale, _ in scale * 10 }
  let scaled = (value.magnitude * Double(scale)).rounded()
  // Beyond 2^53 there are no decimals left to write: the shortest form, as "1e+20".
  guard scaled < 9_007_199_254_740_992 else { return "\(value)" }
  let digits = Int64(scaled)
  let sign = value < 0 && digits > 0 ? "-" : ""
  guard decimals > 0 else { return "\(sign)\(digits)" }
  let fraction = String(digits % scale)
  let zeros = String(repeating: "0", count: decimals - fraction.utf8.count)
  return "\(sign)\(digits / scale).\(zeros)\(fraction)"
}
