/// How a cell looks besides its glyph.
struct Style: Equatable {
  /// The terminal's own colour when `nil`.
  var ink: Ink?
  var isBold = false
  /// Ink and ground exchanged.
  var isInverse = false

  static let plain = Style()
}

/// One character cell.
struct Cell: Equatable {
  /// Empty for the second half of a wide character.
  var glyph: Character?
  var style: Style

  static let blank = Cell(glyph: " ", style: .plain)
}

/// A grid of cells that meters draw on, independent of any terminal.
struct Screen: Equatable {
  let columns: Int
  let rows: Int
  private(set) var cells: [Cell]

  init(columns: Int, rows: Int) {
    self.columns = max(columns, 1)
    self.rows = max(rows, 1)
    cells = [Cell](repeating: .blank, count: self.columns * self.rows)
  }

  func row(_ row: Int) -> ArraySlice<Cell> { cells[(row * columns)..<((row + 1) * columns)] }

  /// Sets a cell; outside the grid nothing happens.
  mutating func put(_ glyph: Character, _ style: Style, row: Int, column: Int) {
    guard row >= 0, row < rows, column >= 0, column < columns else { return }
    cells[row * columns + column] = Cell(glyph: glyph, style: style)
  }

  /// Writes a line of text, at most `width` cells of it; returns the column behind it.
  @discardableResult
  mutating func write(
    _ text: String, _ style: Style, row: Int, column: Int, width: Int = .max
  ) -> Int {
    var at = column
    let end = width == .max ? columns : min(columns, column + width)
    for character in text {
      let size = character.cells
      guard size > 0 else { continue }
      guard at + size <= end else { break }
      put(character, style, row: row, column: at)
      if size == 2, row >= 0, row < rows, at + 1 < columns {
        cells[row * columns + at + 1] = Cell(glyph: nil, style: style)
      }
      at += size
    }
    return at
  }
}
