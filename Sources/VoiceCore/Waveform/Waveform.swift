/// At most 160 of a recording's peaks, 0 to 1: what a message bubble draws.
package struct Waveform: Equatable, Sendable {
  package static let limit = 160

  package let values: [Double]

  /// `peaks` are the 50 ms peaks, the open window included (`PeakMeter.all`).
  package init(peaks: [Float]) {
    let few = peaks.count > Self.limit ? peakResampled(peaks, to: Self.limit) : peaks
    values = few.map { Double($0) }
  }
}
