/// The bars of a take: the loudness of each 50 ms of its mono frames, in any chunking.
///
/// Grows by 80 bytes a second. A value; it belongs to whoever holds it.
package struct PeakMeter: Sendable {
  package static let peaksPerSecond = 20

  /// Raw loudness, 0 to 1, of each closed window.
  package private(set) var peaks: [Float] = []
  private var windows: WindowedFrames
  private let gain: Double

  /// `rate` in frames a second; `gain` in dB is the user's `level-gain`.
  package init(rate: Int, gain: Double = 0) {
    windows = WindowedFrames(rate: rate, windowsPerSecond: Self.peaksPerSecond)
    self.gain = gain
  }

  package mutating func add(_ frames: Span<Float>) {
    let gain = gain
    windows.add(frames) { peaks.append(Float(Loudness.of(power: $0.power, gain: gain))) }
  }

  /// Loudness of the window that is still filling; `nil` when it has no frames yet.
  package var open: Float? {
    windows.open.frames > 0 ? Float(Loudness.of(power: windows.open.power, gain: gain)) : nil
  }

  /// Frames taken so far.
  package var frames: Int { windows.total }

  /// The closed windows and the open one.
  package var all: [Float] { open.map { peaks + [$0] } ?? peaks }
}
