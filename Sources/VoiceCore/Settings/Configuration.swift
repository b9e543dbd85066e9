/// What the user set in the configuration file; every figure is valid.
///
/// Times are in seconds. The recorder's properties start from here and can be changed on the bus; the
/// rest changes with the file and a restart alone.
package struct Configuration: Equatable, Sendable {
  package var source = "microphone"
  /// "" is the source's own default.
  package var target = ""
  package var format = Format.usual
  /// A take shorter than this is discarded; 0 to `maximum`.
  package var minimum = 0.6
  /// A take is cut at this length; at least 1.
  package var maximum = 300.0
  /// A hands-free take is sent after this time without speech; 0 is never.
  package var autoStop = 0.0
  /// Pause media players while a take runs.
  package var pauseMedia = false
  /// A take may begin with that much of the sound before it was asked for; 0 to 5.
  package var preRoll = 0.0
  /// A Press within this time after a Release joins the two; 0 to 0.2.
  package var releaseGrace = 0.0
  /// Decibels added to every loudness; -60 to 60.
  package var levelGain = 0.0
  /// The `media.role` of a stream that records; "" is none.
  package var mediaRole = ""
  /// A finished recording that nobody has moved is deleted after this time.
  package var retention = 86_400.0
  /// Whether locking the desktop session interrupts takes.
  package var lockScreen = true
  /// More folders to look for plugins in, before the usual ones.
  package var plugins: [String] = []

  package init() {}
}
