import Testing

@testable import vctl

@Suite("The terminal meter")
struct MeterViewTests {
  private let view = MeterView(glyphs: .blocks)
  private func scene(_ bars: [Double]) -> Scene {
    Scene(
      mark: "●", title: "recording", titleInk: Palette.red, place: "microphone", figure: "0:07",
      bars: bars, isLive: true)
  }
  private func text(_ screen: Screen, _ row: Int) -> String {
    String(screen.row(row).compactMap(\.glyph))
  }

  @Test("bars stand at the right, mirrored at the middle, silence is a thin line")
  func bars() {
    let screen = view.draw(scene([0, 1, 0.5]), columns: 20, rows: 8)
    #expect(screen.rows == 8 && screen.columns == 20)
    // Two rows a half: full, and half of it.
    #expect(text(screen, 2).hasSuffix("   █   "))
    #expect(text(screen, 3).hasSuffix(" ▁ █ █ "))
    #expect(text(screen, 5).hasSuffix("   █   "))
    let below = Array(screen.row(4))[14]
    #expect(below.glyph == "▇" && below.style.isInverse)
  }

  @Test("it fits every size from one cell up")
  func sizes() {
    let bars = (0..<300).map { Double($0 % 10) / 9 }
    for columns in [1, 2, 7, 15, 16, 17, 40, 200] {
      for rows in [1, 2, 4, 5, 6, 7, 8, 9, 50] {
        for glyphs in [Glyphs.blocks, .ascii] {
          var scene = scene(bars)
          scene.note = "a long note about what happened, longer than many a terminal is wide"
          scene.keys = "q leaves"
          let screen = MeterView(glyphs: glyphs).draw(scene, columns: columns, rows: rows)
          #expect(screen.cells.count == columns * rows)
        }
      }
    }
  }

  @Test("the ASCII meter is ASCII")
  func ascii() {
    let state = RecorderState(isOnline: true, phase: "locked", source: "microphone")
    let scene = Scene(state, elapsed: 3, bars: [0.1, 0.5, 1], glyphs: .ascii)
    let screen = MeterView(glyphs: .ascii).draw(scene, columns: 40, rows: 10)
    #expect(screen.cells.allSatisfy { $0.glyph?.isASCII ?? true })
  }

  @Test("only rows that changed are painted")
  func changes() {
    var painter = Painter(depth: .exact)
    let first = painter.paint(view.draw(scene([0.5]), columns: 40, rows: 8))
    #expect(first.contains("\u{1B}[2J"))
    #expect(painter.paint(view.draw(scene([0.5]), columns: 40, rows: 8)).isEmpty)
    var next = scene([0.5])
    next.figure = "0:08"
    let second = painter.paint(view.draw(next, columns: 40, rows: 8))
    #expect(second.contains("\u{1B}[1;1H") && !second.contains("\u{1B}[3;1H"))
    #expect(painter.paint(view.draw(next, columns: 41, rows: 8)).contains("\u{1B}[2J"))
  }

  @Test("without colour there are no colour codes")
  func colourless() {
    var painter = Painter(depth: .none)
    let out = painter.paint(view.draw(scene([0.5, 1]), columns: 40, rows: 8))
    #expect(!out.contains("38;") && !out.contains("[31"))
  }

  @Test(
    "the colours that a terminal says it has are used",
    arguments: [
      ("1", "truecolor", "xterm-256color", ColourDepth.none),
      ("", "truecolor", "xterm", .exact), ("", "", "xterm-256color", .indexed),
      ("", "", "xterm", .basic), ("", "", "dumb", .none), ("", "24bit", "foot", .exact),
      ("", "", "vt100", .none),
    ])
  func depth(no: String, colour: String, term: String, depth: ColourDepth) {
    #expect(ColourDepth.of(noColour: no, colourTerm: colour, term: term) == depth)
  }

  @Test("wide characters take two columns and are never cut in half")
  func wide() {
    #expect("日本".cells == 4 && "e\u{301}".cells == 1 && "🎤".cells == 2)
    #expect("日本語".clipped(to: 4) == "日…")
    var screen = Screen(columns: 5, rows: 1)
    screen.write("日本語", .plain, row: 0, column: 0)
    #expect(String(screen.row(0).compactMap(\.glyph)) == "日本 ")
  }

  @Test("the countdown of the last ten seconds shows")
  func countdown() {
    var state = RecorderState(isOnline: true, phase: "locked", take: 1)
    state.apply(.elapsed(293, remaining: 7))
    #expect(Scene(state, elapsed: 293.4, bars: [], glyphs: .blocks).figure == "7 s left · 4:53")
  }

  @Test("names cannot steer the terminal")
  func names() {
    let state = RecorderState(
      isOnline: true, phase: "locked", take: 1, source: "microphone", linked: "a\u{1B}[2J\u{7}b")
    let scene = Scene(state, elapsed: 0, bars: [], glyphs: .blocks)
    #expect(!scene.place.contains("\u{1B}") && !scene.place.contains("\u{7}"))
  }
}
