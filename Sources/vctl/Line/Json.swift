/// A JSON value that is written, never read: objects keep their order, numbers their point.
indirect enum Json: Equatable {
  case null
  case flag(Bool)
  case whole(Int64)
  /// Written with so many digits after the point; what is not finite becomes 0.
  case number(Double, places: Int)
  case text(String)
  case list([Json])
  case object([(String, Json)])

  static func == (a: Json, b: Json) -> Bool { a.description == b.description }
}

extension Json: CustomStringConvertible {
  /// One line, in valid UTF-8, without blanks.
  var description: String {
    switch self {
    case .null: "null"
    case .flag(let flag): flag ? "true" : "false"
    case .whole(let whole): String(whole)
    case .number(let number, let places): number.decimal(places: places)
    case .text(let text): Self.quoted(text)
    case .list(let items): "[" + items.map(\.description).joined(separator: ",") + "]"
    case .object(let fields):
      "{" + fields.map { Self.quoted($0) + ":" + $1.description }.joined(separator: ",") + "}"
    }
  }

  private static func quoted(_ text: String) -> String {
    var out = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": out += "\\\""
      case "\\": out += "\\\\"
      case "\n": out += "\\n"
      case "\t": out += "\\t"
      // DEL, C1 and the line separators are legal, but trip readers that split lines.
      case "\u{0}"..."\u{1F}", "\u{7F}"..."\u{9F}", "\u{2028}", "\u{2029}":
        let digits = String(scalar.value, radix: 16)
        out += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      default: out.unicodeScalars.append(scalar)
      }
    }
    return out + "\""
  }
}
