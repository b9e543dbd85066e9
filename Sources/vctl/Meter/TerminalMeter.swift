import Glibc
import VoiceIO

/// A meter that lives on the terminal: takes it over, draws, follows its size, gives it back.
final class TerminalMeter {
  /// Pictures a second while something moves.
  static let rate = 30.0

  /// What is to be seen now; asked for at every drawing.
  var scene: (() -> Scene)?

  private let loop: EventLoop
  private let extent: Terminal.Extent
  private let descriptor: Int32
  private let terminal: Terminal
  private let channel: OutputChannel
  private let view: MeterView
  private var painter: Painter
  private var timer: LoopTimer?
  private var keyboard: Keyboard?
  private let onKey: (UInt8) -> Void
  private var isOpen = false
  private var shownLine = ""

  /// - Parameters:
  ///   - onKey: hears every key that is typed, when standard input is a terminal.
  ///   - onGone: called once: when the terminal is gone, or with what keeps it from being drawn on.
  init(
    _ loop: EventLoop, extent: Terminal.Extent, glyphs: Glyphs, onKey: @escaping (UInt8) -> Void,
    onGone: @escaping (Failure?) -> Void
  ) throws(Failure) {
    self.loop = loop
    self.extent = extent
    self.onKey = onKey
    descriptor = extent == .screen ? STDOUT_FILENO : STDERR_FILENO
    terminal = Terminal(output: descriptor, extent: extent)
    channel = try OutputChannel(loop, descriptor: descriptor)
    view = MeterView(glyphs: glyphs)
    painter = Painter(depth: TerminalMeter.depth)
    channel.onGone = onGone
    channel.onDrained = { [weak self] in self?.draw() }
    timer = loop.timer { [weak self] in self?.draw() }
    open()
  }

  /// The colours of this program's terminal.
  private static var depth: ColourDepth {
    .of(
      noColour: ProcessEnvironment.value("NO_COLOR"),
      colourTerm: ProcessEnvironment.value("COLORTERM"), term: ProcessEnvironment.value("TERM"))
  }

  /// A terminal that can be drawn on.
  static func isPossible(on descriptor: Int32) -> Bool {
    let term = ProcessEnvironment.value("TERM") ?? "dumb"
    return isatty(descriptor) == 1 && term != "dumb"
  }

  /// Redraws again and again, or only when told.
  func animate(_ moves: Bool) {
    guard moves != timer?.isArmed else { return }
    if moves { timer?.repeat(every: 1 / Self.rate) } else { timer?.cancel() }
  }

  /// Draws what is to be seen now.
  func show() { draw() }

  /// Does what a signal asks of a terminal's user; `false` for one that is not about terminals.
  func handle(_ signal: Int32) -> Bool {
    switch signal {
    case SIGWINCH:
      painter.forget()
      shownLine = ""
      draw()
    case SIGTSTP:
      close()
      kill(getpid(), SIGSTOP)
      open()
      draw()
    case SIGCONT: break
    default: return false
    }
    return true
  }

  /// Gives the terminal back.
  func close() {
    guard isOpen else { return }
    isOpen = false
    keyboard?.close()
    keyboard = nil
    terminal.leave()
  }

  private func open() {
    isOpen = true
    painter.forget()
    shownLine = ""
    terminal.enter()
    channel.send(terminal.opening)
    keyboard = Keyboard(loop, onKey: onKey)
  }

  private func draw() {
    // A terminal that is behind gets the newest picture once it has caught up.
    guard isOpen, !channel.isBusy, let scene = scene?() else { return }
    let size = Terminal.size(of: descriptor)
    switch extent {
    case .screen:
      let text = painter.paint(view.draw(scene, columns: size.columns, rows: size.rows))
      if !text.isEmpty { channel.send(text) }
    case .line:
      var line = Screen(columns: size.columns - 1, rows: 1)
      view.drawLine(scene, on: &line)
      let text = "\r" + painter.line(line.row(0)) + "\u{1B}[K"
      if text != shownLine { channel.send(text) }
      shownLine = text
    }
  }
}
