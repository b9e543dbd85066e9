/// Draws scenes: the large meter that fills a terminal, and the one that is a single line.
struct MeterView {
  let glyphs: Glyphs

  /// The meter for a terminal of this size.
  func draw(_ scene: Scene, columns: Int, rows: Int) -> Screen {
    var screen = Screen(columns: columns, rows: rows)
    guard rows >= 5, columns >= 16 else {
      drawLine(scene, on: &screen)
      return screen
    }
    drawHeader(scene, on: &screen)
    let top = rows >= 8 ? 2 : 1
    drawBars(scene, on: &screen, top: top, half: (rows - 2 * top) / 2)
    drawFooter(scene, on: &screen)
    return screen
  }

  /// The meter as one line: mark, clock, bars, note.
  func drawLine(_ scene: Scene, on screen: inout Screen) {
    var column = 0
    screen.put(scene.mark, Style(ink: scene.titleInk), row: 0, column: column)
    column += 2
    let figure = scene.figure.isEmpty ? scene.title : scene.figure
    column = screen.write(
      figure, Style(ink: scene.figureInk, isBold: scene.isLive), row: 0, column: column)
    column += 1
    let note = scene.note.clipped(to: screen.columns / 2, ellipsis: glyphs.ellipsis)
    let end = screen.columns - (note.isEmpty ? 1 : note.cells + 2)
    let room = max(0, end - column)
    let bars = scene.bars.suffix(room)
    for (index, level) in bars.enumerated() {
      let ink = scene.isLive ? Palette.ink(at: level) : Palette.grey
      let at = end - bars.count + index
      screen.put(glyphs.bar(level), Style(ink: fade(ink, at - column, room)), row: 0, column: at)
    }
    screen.write(note, Style(ink: scene.noteInk ?? Palette.grey), row: 0, column: end + 1)
  }

  private func drawHeader(_ scene: Scene, on screen: inout Screen) {
    let title = Style(ink: scene.titleInk, isBold: true)
    screen.put(scene.mark, title, row: 0, column: 1)
    let figureAt = max(3, screen.columns - 1 - scene.figure.cells)
    var column = screen.write(scene.title, title, row: 0, column: 3, width: figureAt - 4)
    if !scene.place.isEmpty, column + 6 < figureAt {
      let room = figureAt - 2 - column - glyphs.separator.cells
      let place = scene.place.clipped(to: room, ellipsis: glyphs.ellipsis)
      column = screen.write(
        glyphs.separator + place, Style(ink: Palette.grey), row: 0, column: column)
    }
    screen.write(
      scene.figure, Style(ink: scene.figureInk, isBold: true), row: 0, column: figureAt)
  }

  private func drawFooter(_ scene: Scene, on screen: inout Screen) {
    let row = screen.rows - 1
    let keysAt = screen.columns - 1 - scene.keys.cells
    let note = scene.note.clipped(to: max(0, keysAt - 3), ellipsis: glyphs.ellipsis)
    screen.write(note, Style(ink: scene.noteInk ?? Palette.grey), row: row, column: 1)
    if keysAt > 1 { screen.write(scene.keys, Style(ink: Palette.grey), row: row, column: keysAt) }
  }

  /// Bars that mirror at the middle, the newest at the right, the old ones fading.
  ///
  /// Every other column stays blank, so that single bars are seen to move.
  private func drawBars(_ scene: Scene, on screen: inout Screen, top: Int, half: Int) {
    let room = (screen.columns - 1) / 2
    let first = screen.columns - 2 * room
    let bars = scene.bars.suffix(room)
    for index in 0..<room {
      let column = first + 2 * index
      let bar = index - (room - bars.count)
      guard bar >= 0 else {
        // Where there is no bar yet, a thin line shows the middle.
        let style = Style(ink: Palette.grey.faded(0.6))
        screen.put(glyphs.rising[1], style, row: top + half - 1, column: column)
        continue
      }
      let level = bars[bars.startIndex + bar]
      let steps = max(Int((level * Double(half * glyphs.steps)).rounded()), 1)
      for height in 0..<half {
        let fill = min(steps - height * glyphs.steps, glyphs.steps)
        guard fill > 0 else { break }
        let share = half > 1 ? Double(height) / Double(half - 1) : level
        let ink = scene.isLive ? fade(Palette.ink(at: share), index, room) : Palette.grey.faded(0.6)
        let row = top + half - 1 - height
        screen.put(glyphs.rising[fill], Style(ink: ink), row: row, column: column)
        putFalling(fill, ink, on: &screen, row: top + half + height, column: column)
      }
    }
  }

  /// A cell that is filled from its top.
  private func putFalling(
    _ fill: Int, _ ink: Ink, on screen: inout Screen, row: Int, column: Int
  ) {
    if let falling = glyphs.falling {
      screen.put(falling[fill], Style(ink: ink), row: row, column: column)
    } else if fill == glyphs.steps {
      screen.put(glyphs.rising[fill], Style(ink: ink), row: row, column: column)
    } else {
      screen.put(
        glyphs.rising[glyphs.steps - fill], Style(ink: ink, isInverse: true), row: row,
        column: column)
    }
  }

  /// The ink of a bar by its place: the oldest fifth fades, in few steps, so that runs stay long.
  private func fade(_ ink: Ink, _ index: Int, _ room: Int) -> Ink {
    let length = max(room / 5, 1)
    guard index < length else { return ink }
    return ink.faded(0.85 * (Double((length - index) * 5 / length) / 5))
  }
}
