/// Turns screens into what a terminal is sent: only the rows that changed, in one piece.
struct Painter {
  let depth: ColourDepth
  private var shown: Screen?

  init(depth: ColourDepth) { self.depth = depth }

  /// The bytes that change what was painted last into this screen; empty when nothing changed.
  ///
  /// They are bracketed as a synchronized update, so that terminals which know that show no half
  /// frame, and others ignore it.
  mutating func paint(_ screen: Screen) -> String {
    let fits = shown?.columns == screen.columns && shown?.rows == screen.rows
    var body = fits ? "" : Terminal.clear
    for row in 0..<screen.rows {
      if fits, let shown, shown.row(row) == screen.row(row) { continue }
      body += "\u{1B}[\(row + 1);1H" + line(screen.row(row))
    }
    shown = screen
    return body.isEmpty ? "" : "\u{1B}[?2026h" + body + "\u{1B}[?2026l"
  }

  /// Forgets what is on the terminal: the next screen is painted whole.
  mutating func forget() { shown = nil }

  /// One row with its colours, and the rest of the line cleared.
  func line(_ cells: ArraySlice<Cell>) -> String {
    var out = ""
    var style = Style.plain
    let used = cells.lastIndex { $0 != .blank }.map { cells[...$0] } ?? []
    for cell in used {
      guard let glyph = cell.glyph else { continue }
      // A blank looks the same in every ink, so it need not change it.
      let wanted = glyph == " " && !cell.style.isInverse && !style.isInverse ? style : cell.style
      if wanted != style {
        out += escape(wanted)
        style = wanted
      }
      out.append(glyph)
    }
    if style != .plain { out += "\u{1B}[0m" }
    return cells.count == used.count ? out : out + "\u{1B}[K"
  }

  private func escape(_ style: Style) -> String {
    var codes = "0"
    if style.isBold { codes += ";1" }
    if style.isInverse { codes += ";7" }
    if let ink = style.ink {
      switch depth {
      case .none: break
      case .basic: codes += ";\(ink.basic < 8 ? 30 + ink.basic : 82 + ink.basic)"
      case .indexed: codes += ";38;5;\(ink.indexed)"
      case .exact: codes += ";38;2;\(ink.red);\(ink.green);\(ink.blue)"
      }
    }
    return "\u{1B}[\(codes)m"
  }
}
