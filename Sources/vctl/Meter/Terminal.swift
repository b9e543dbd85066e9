import Glibc

/// The terminal as a meter takes it over, and how it is given back.
///
/// It is given back on every way out: `leave()` on the ordinary ones, and a signal handler when the
/// program crashes. Used from the one thread; the saved modes are written before the handler exists.
struct Terminal {
  static let clear = "\u{1B}[2J\u{1B}[H"
  private static let enterScreen = "\u{1B}[?1049h\u{1B}[?25l\u{1B}[2J\u{1B}[H"
  private static let leaveScreen: StaticString = "\u{1B}[0m\u{1B}[?25h\u{1B}[?1049l"
  private static let leaveLine: StaticString = "\u{1B}[0m\u{1B}[?25h\r\u{1B}[K"

  /// How much of the terminal is taken.
  enum Extent { case screen, line }

  /// What has to be undone; read by the crash handler.
  private struct Taken {
    var output: Int32
    var input: Int32
    var modes: termios?
    var farewell: StaticString
  }
  // Written on the one thread, before the handler that reads it is installed.
  private nonisolated(unsafe) static var taken: Taken?

  private let output: Int32
  private let extent: Extent

  /// Takes the terminal at `output`; keys are no longer shown when standard input is a terminal.
  ///
  /// Writing the terminal is left to the caller: `opening` has to be sent first.
  init(output: Int32, extent: Extent) {
    self.output = output
    self.extent = extent
  }

  /// What the terminal has to be sent before anything else.
  var opening: String { extent == .screen ? Self.enterScreen : "\u{1B}[?25l" }

  /// Switches the modes.
  func enter() {
    var modes: termios?
    var old = termios()
    if isatty(STDIN_FILENO) == 1, tcgetattr(STDIN_FILENO, &old) == 0 {
      modes = old
      var new = old
      new.c_lflag &= ~tcflag_t(ECHO | ICANON)
      // Only the program in front may change the modes; one behind would be stopped by it.
      if tcgetpgrp(STDIN_FILENO) == getpgrp() { tcsetattr(STDIN_FILENO, TCSANOW, &new) }
    }
    Self.taken = Taken(
      output: output, input: STDIN_FILENO, modes: modes,
      farewell: extent == .screen ? Self.leaveScreen : Self.leaveLine)
    for crash in [SIGILL, SIGTRAP, SIGSEGV, SIGBUS, SIGABRT, SIGFPE] {
      var action = sigaction()
      action.__sigaction_handler.sa_handler = { number in
        Terminal.restore()
        signal(number, SIG_DFL)
        raise(number)
      }
      sigaction(crash, &action, nil)
    }
  }

  /// Gives the terminal back.
  func leave() { Self.restore() }

  /// Safe in a signal handler: two system calls.
  private static func restore() {
    guard let old = taken else { return }
    taken = nil
    _ = write(old.output, old.farewell.utf8Start, old.farewell.utf8CodeUnitCount)
    if var modes = old.modes { tcsetattr(old.input, TCSANOW, &modes) }
  }

  /// Columns and rows; 80 by 24 when the terminal does not say.
  static func size(of descriptor: Int32) -> (columns: Int, rows: Int) {
    var size = winsize()
    guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 0 else {
      return (80, 24)
    }
    return (Int(size.ws_col), Int(size.ws_row))
  }

  /// Sets the character tables by the environment; `true` when they are UTF-8.
  ///
  /// Numbers stay those of the C locale: only the character type is set.
  static func useLocale() -> Bool {
    if setlocale(LC_CTYPE, "") == nil { setlocale(LC_CTYPE, "C.UTF-8") }
    guard let name = nl_langinfo(nl_item(CODESET)) else { return false }
    return String(cString: name) == "UTF-8"
  }
}
