/// Blocks of characters that take two columns: Unicode's East Asian Width "wide" and "fullwidth".
private let wide: [ClosedRange<UInt32>] = [
  0x1100...0x115F, 0x2E80...0x303E, 0x3041...0x4DBF, 0x4E00...0xA4CF, 0xA960...0xA97C,
  0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F, 0xFF01...0xFF60, 0xFFE0...0xFFE6,
  0x1F300...0x1F64F, 0x1F680...0x1F6FC, 0x1F900...0x1FAFF, 0x20000...0x3FFFD,
]

extension Character {
  /// Columns it takes in a terminal: 0, 1 or 2.
  var cells: Int {
    if let ascii = asciiValue { return ascii < 32 || ascii == 127 ? 0 : 1 }
    guard let first = unicodeScalars.first else { return 0 }
    switch first.properties.generalCategory {
    case .nonspacingMark, .enclosingMark, .control, .format: return 0
    default: break
    }
    if first.properties.isEmojiPresentation { return 2 }
    return wide.contains { $0.contains(first.value) } ? 2 : 1
  }
}

extension String {
  /// Columns the text takes in a terminal.
  var cells: Int { reduce(0) { $0 + $1.cells } }

  /// The text, cut with an ellipsis when it takes more columns than these.
  func clipped(to width: Int, ellipsis: Character = "…") -> String {
    guard cells > width else { return self }
    var out = ""
    var used = 0
    for character in self {
      guard used + character.cells < width else { break }
      out.append(character)
      used += character.cells
    }
    return width > 0 ? out + String(ellipsis) : ""
  }
}
