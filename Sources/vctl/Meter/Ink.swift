/// A colour: exact for terminals that take 24 bits, and one of the 16 that every terminal has.
struct Ink: Equatable {
  let red: UInt8
  let green: UInt8
  let blue: UInt8
  /// 0 to 15, as in SGR 30-37 and 90-97.
  let basic: UInt8

  init(_ red: UInt8, _ green: UInt8, _ blue: UInt8, basic: UInt8) {
    self.red = red
    self.green = green
    self.blue = blue
    self.basic = basic
  }

  /// The colour mixed with a grey that shows on dark and on light terminals.
  ///
  /// - Parameter amount: 0 is the colour, 1 is the grey.
  func faded(_ amount: Double) -> Ink {
    func mix(_ channel: UInt8, _ grey: Double) -> UInt8 {
      UInt8((Double(channel) + (grey - Double(channel)) * min(max(amount, 0), 1)).rounded())
    }
    return Ink(mix(red, 92), mix(green, 97), mix(blue, 108), basic: amount > 0.5 ? 8 : basic)
  }
}

/// How many colours the terminal shows.
enum ColourDepth: Equatable {
  case none, basic, indexed, exact

  /// What the environment says: `NO_COLOR`, `COLORTERM`, `TERM`.
  static func of(noColour: String?, colourTerm: String?, term: String?) -> ColourDepth {
    if let noColour, !noColour.isEmpty { return .none }
    guard let term, !term.isEmpty, term != "dumb" else { return .none }
    if colourTerm == "truecolor" || colourTerm == "24bit" { return .exact }
    let name = Array(term.utf8)
    if name.holds("-direct") { return .exact }
    if name.holds("256color") { return .indexed }
    return term.utf8.starts(with: "vt".utf8) ? .none : .basic
  }
}

extension Array<UInt8> {
  func holds(_ text: StaticString) -> Bool {
    let part = text.withUTF8Buffer { Array($0) }
    guard count >= part.count else { return false }
    return (0...(count - part.count)).contains { self[$0..<($0 + part.count)].elementsEqual(part) }
  }
}

extension Ink {
  /// The number among xterm's 256 colours: the nearest of the 6 by 6 by 6 cube or of the greys.
  var indexed: UInt8 {
    let steps: [Int] = [0, 95, 135, 175, 215, 255]
    func step(_ value: UInt8) -> Int {
      steps.indices.min { abs(steps[$0] - Int(value)) < abs(steps[$1] - Int(value)) } ?? 0
    }
    func distance(_ r: Int, _ g: Int, _ b: Int) -> Int {
      let (dr, dg, db) = (r - Int(red), g - Int(green), b - Int(blue))
      return dr * dr + dg * dg + db * db
    }
    let (r, g, b) = (step(red), step(green), step(blue))
    let mean = (Int(red) + Int(green) + Int(blue)) / 3
    let shade = min(max((mean - 3) / 10, 0), 23)
    let grey = 8 + shade * 10
    return distance(grey, grey, grey) < distance(steps[r], steps[g], steps[b])
      ? UInt8(232 + shade) : UInt8(16 + 36 * r + 6 * g + b)
  }
}
