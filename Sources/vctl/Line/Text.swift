extension String {
  /// The text without what could steer a terminal: control and format characters become `�`.
  var plain: String {
    var out = String.UnicodeScalarView()
    for scalar in unicodeScalars {
      switch scalar.properties.generalCategory {
      case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate:
        out.append("\u{FFFD}")
      default: out.append(scalar)
      }
    }
    return String(out)
  }
}

extension Double {
  /// The number with a point and this many digits after it, whatever the locale; 0 when not finite.
  func decimal(places: Int, trimmed: Bool = false) -> String {
    guard isFinite, abs(self) < 1e15 else { return "0" }
    var scale = 1.0
    for _ in 0..<places { scale *= 10 }
    let whole = Int64((abs(self) * scale).rounded())
    var digits = String(whole)
    while digits.count <= places { digits = "0" + digits }
    var text = String(digits.dropLast(places))
    if places > 0 {
      var tail = digits.suffix(places)
      if trimmed { while tail.last == "0" { tail = tail.dropLast() } }
      if !tail.isEmpty { text += "." + tail }
    }
    return self < 0 && whole != 0 ? "-" + text : text
  }
}

/// A time of a take as people read it: `0:07`, `12:34`, `1:02:03`; whole seconds, not rounded up.
func clock(_ seconds: Double) -> String {
  let whole = seconds.isFinite && seconds > 0 ? Int(min(seconds, 1e9)) : 0
  func two(_ n: Int) -> String { n < 10 ? "0\(n)" : "\(n)" }
  let (hours, minutes, rest) = (whole / 3600, whole / 60 % 60, whole % 60)
  return hours > 0 ? "\(hours):\(two(minutes)):\(two(rest))" : "\(minutes):\(two(rest))"
}
