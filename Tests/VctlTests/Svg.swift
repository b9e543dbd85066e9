@testable import vctl

/// A screen of the meter as a picture, cell for cell as a terminal shows it.
enum Svg {
  private static let width = 9.0
  private static let height = 19.0
  private static let margin = 18.0
  private static let bar = 34.0
  private static let ground = "#14171f"
  private static let plain = "#d8dce6"

  /// The picture of a terminal window with this title.
  static func picture(of screen: Screen, title: String) -> String {
    let wide = Double(screen.columns) * width + 2 * margin
    let high = Double(screen.rows) * height + bar + margin
    var out = """
      <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(wide.short) \(high.short)"\
       width="\(wide.short)" height="\(high.short)" role="img" aria-label="\(title)">
      <rect width="\(wide.short)" height="\(high.short)" rx="10" fill="\(ground)"/>
      <g fill="#343a48"><circle cx="20" cy="17" r="5"/><circle cx="38" cy="17" r="5"/>\
      <circle cx="56" cy="17" r="5"/></g>
      <g font-family="ui-monospace,'DejaVu Sans Mono',Menlo,Consolas,monospace" font-size="15">
      <text x="\((wide / 2).short)" y="22" font-size="13" fill="#7d8496" text-anchor="middle">\
      \(title)</text>

      """
    out += blocks(screen) + texts(screen)
    return out + "</g>\n</svg>\n"
  }

  private static func colour(_ style: Style) -> String {
    guard let ink = style.ink else { return plain }
    return "#"
      + [ink.red, ink.green, ink.blue].map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }
      .joined()
  }

  /// Eighth blocks as rectangles, one path a colour: fonts leave gaps between them.
  private static func blocks(_ screen: Screen) -> String {
    var order: [String] = []
    var paths: [String: String] = [:]
    for row in 0..<screen.rows {
      for (column, cell) in screen.row(row).enumerated() {
        guard let eighths = eighths(cell) else { continue }
        let size = height * Double(eighths) / 8
        let isHanging = cell.style.isInverse
        let top = bar + Double(row) * height + (isHanging ? 0 : height - size)
        let hanging = isHanging ? height - size : size
        let colour = colour(cell.style)
        if paths[colour] == nil { order.append(colour) }
        let x = margin + Double(column) * width
        paths[colour, default: ""] +=
          "M\(x.short) \(top.short)h\(width.short)v\(hanging.short)h-\(width.short)z"
      }
    }
    return order.map { "<path fill=\"\($0)\" d=\"\(paths[$0] ?? "")\"/>\n" }.joined()
  }

  private static func eighths(_ cell: Cell) -> Int? {
    guard let glyph = cell.glyph, glyph != " " else { return nil }
    return Glyphs.blocks.rising.firstIndex(of: glyph)
  }

  /// Everything else as text, a run of one style at a time.
  private static func texts(_ screen: Screen) -> String {
    var out = ""
    for row in 0..<screen.rows {
      var run = ""
      var start = 0
      var style = Style.plain
      func end() {
        let text = run.drop { $0 == " " }
        defer { run = "" }
        guard !text.isEmpty else { return }
        let x = margin + Double(start + run.count - text.count) * width
        var shown = String(text)
        while shown.last == " " { shown.removeLast() }
        let y = bar + Double(row) * height + 14
        let length = Double(shown.count) * width
        out += "<text x=\"\(x.short)\" y=\"\(y.short)\" textLength=\"\(length.short)\""
        out += " fill=\"\(colour(style))\"\(style.isBold ? " font-weight=\"bold\"" : "")>"
        out += BarLines.markup(shown) + "</text>\n"
      }
      for (column, cell) in screen.row(row).enumerated() {
        let isText = eighths(cell) == nil && cell.glyph != nil
        if !isText || cell.style != style && cell.glyph != " " {
          end()
          start = column
          style = cell.style
        }
        if isText {
          if run.isEmpty { start = column }
          run.append(cell.glyph ?? " ")
        }
      }
      end()
    }
    return out
  }
}
