import VoiceCore

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
  /// The number with at most two digits after the point, for people.
  var short: String {
    var text = decimalText(self, decimals: 2)
    guard text.contains(".") else { return text }
    while text.last == "0" { text.removeLast() }
    if text.last == "." { text.removeLast() }
    return text
  }
}

/// A time of a take as people read it: `0:07`, `12:34`, `1:02:03`; whole seconds, not rounded up.
func clock(_ seconds: Double) -> String {
  let whole = seconds.isFinite && seconds > 0 ? Int(min(seconds, 1e9)) : 0
  func two(_ n: Int) -> String { n < 10 ? "0\(n)" : "\(n)" }
  let (hours, minutes, rest) = (whole / 3600, whole / 60 % 60, whole % 60)
  return hours > 0 ? "\(hours):\(two(minutes)):\(two(rest))" : "\(minutes):\(two(rest))"
}
