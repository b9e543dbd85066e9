/// How a source plays material that has a beginning and an end: the options of the plugin contract
/// that are a client's to choose.
package struct Playback: Hashable, Sendable {
  /// Begin again, at `start`, when the end is reached.
  package let loop: Bool
  /// Seconds of the material to leave out.
  package let start: Double

  /// From the beginning to the end, once.
  package static let whole = Playback()

  private init() {
    loop = false
    start = 0
  }

  /// InvalidValue for a start that is no time in any material.
  package init(loop: Bool, start: Double) throws(Refusal) {
    guard start.isFinite, start >= 0 else {
      throw Refusal(.invalidValue, "'start' is a finite number of seconds, 0 or more")
    }
    self.loop = loop
    self.start = start
  }

  /// The plugin's `key=value` lines; none for what is the plugin's default.
  package var lines: String {
    // Without an exponent, as far as that goes: a plugin may read digits and a point alone.
    (loop ? "loop=1\n" : "") + (start > 0 ? "start=\(decimalText(start, decimals: 9))\n" : "")
  }
}
