/// A recording's power and peak in at most 4096 windows, however long it is.
///
/// Windows start at 10 ms; each time 4096 are full (41 s), pairs become one, by maximum. Memory is
/// fixed, and 100 stretches of a long recording are still exact to one part in twenty.
struct FineWindows: Sendable {
  static let windowsPerSecond = 100
  private static let limit = 4096

  private var windows: WindowedFrames
  /// 10 ms windows that one entry stands for: 1, 2, 4, ...
  private var span = 1
  /// 10 ms windows in the last entry, when it is not full yet.
  private var filled = 0
  private var powers: [Float] = []
  private var peaks: [Float] = []

  init(rate: Int) {
    windows = WindowedFrames(rate: rate, windowsPerSecond: Self.windowsPerSecond)
  }

  mutating func add(_ frames: Span<Float>) {
    windows.add(frames) { window in
      Self.append(window, to: &powers, &peaks, span: &span, filled: &filled)
    }
  }

  /// Mean square (mean removed) of each entry's loudest window, the open window included.
  var allPowers: [Float] { closedOr(powers, Self.power) }
  /// Highest absolute frame of each entry, the open window included.
  var allPeaks: [Float] { closedOr(peaks, \.peak) }

  /// The open window joins the last entry while that one is filling, else it is an entry of its own.
  private func closedOr(_ values: [Float], _ figure: (FrameSums) -> Float) -> [Float] {
    guard windows.open.frames > 0 else { return values }
    var values = values
    if filled > 0, let last = values.popLast() {
      values.append(max(last, figure(windows.open)))
    } else {
      values.append(figure(windows.open))
    }
    return values
  }

  private static func append(
    _ window: FrameSums, to powers: inout [Float], _ peaks: inout [Float], span: inout Int,
    filled: inout Int
  ) {
    if filled == 0 {
      if powers.count == limit {
        powers = halved(powers)
        peaks = halved(peaks)
        span *= 2
      }
      powers.append(power(window))
      peaks.append(window.peak)
    } else {
      powers[powers.count - 1] = max(powers[powers.count - 1], power(window))
      peaks[peaks.count - 1] = max(peaks[peaks.count - 1], window.peak)
    }
    filled = (filled + 1) % span
  }

  /// Cut at full scale, so that a broken sample of 1e30 leaves a figure that can be divided by.
  private static func power(_ window: FrameSums) -> Float { Float(min(1, window.power)) }

  private static func halved(_ values: [Float]) -> [Float] {
    stride(from: 0, to: values.count, by: 2).map { max(values[$0], values[$0 + 1]) }
  }
}
