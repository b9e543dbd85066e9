/// Everything that is drawn of a recording, computed in one pass over its mono frames.
///
///     var builder = WaveformBuilder(rate: 48_000)
///     while let chunk = next() { builder.add(chunk) }
///     let bars = builder.waveform.values
///     let matrix = builder.values(for: .matrix)
///
/// Memory is 33 kB and 80 bytes a second. Frames that are not finite count as 0. A value; it belongs
/// to whoever holds it.
package struct WaveformBuilder: Sendable {
  private var meter: PeakMeter
  private var fine: FineWindows
  private let rate: Int

  /// `rate` in frames a second; `gain` in dB is the user's `level-gain` and touches the waveform alone.
  package init(rate: Int, gain: Double = 0) {
    self.rate = max(1, rate)
    meter = PeakMeter(rate: rate, gain: gain)
    fine = FineWindows(rate: rate)
  }

  package mutating func add(_ frames: Span<Float>) {
    meter.add(frames)
    fine.add(frames)
  }

  /// Frames taken so far.
  package var frames: Int { meter.frames }
  /// Seconds taken so far.
  package var duration: Double { Double(frames) / Double(rate) }
  /// Highest absolute frame so far, full scale 1, more is possible.
  package var peak: Double { Double(fine.allPeaks.max() ?? 0) }
  /// At most 160 peaks, 0 to 1.
  package var waveform: Waveform { Waveform(peaks: meter.all) }

  /// The export's whole numbers; `nil` for `raw`, whose numbers are `waveform.values`.
  ///
  /// Empty when there were no frames, but for the formats of a fixed size, which are all zero then.
  package func values(for export: WaveformExport) -> [Int]? {
    switch export {
    case .matrix: matrix(top: 1024)
    case .matrix256: matrix(top: 256)
    case .telegram: telegram()
    case .whatsapp: whatsapp()
    case .raw: nil
    }
  }

  /// Loudness of the loudest 10 ms of each stretch.
  ///
  /// 100 stretches, as the bridges send; a recording shorter than 1 s gives one for each 10 ms, so that
  /// one of 0.3 s still has the 30 that MSC3246 asks for.
  private func matrix(top: Int) -> [Int] {
    let powers = fine.allPowers
    return peakResampled(powers, to: min(100, powers.count)).map { power in
      Int((Loudness.of(power: Double(power)) * Double(top)).rounded())
    }
  }

  /// Highest sample of each hundredth, against a ceiling of 1.8 times their mean, at least 2500 of 32768.
  private func telegram() -> [Int] {
    let peaks = peakResampled(fine.allPeaks, to: 100).map { min(1, Double($0)) }
    let mean = peaks.reduce(0, +) / 100
    let ceiling = max(1.8 * mean, 2500.0 / 32768)
    return packedBits(peaks.map { UInt8((min($0, ceiling) / ceiling * 31).rounded(.down)) })
  }

  /// RMS of the loudest 10 ms of each stretch, the loudest being 100, unless it is below -40 dBFS: a
  /// silent room stays flat.
  private func whatsapp() -> [Int] {
    let levels = peakResampled(fine.allPowers, to: 64).map { Double($0).squareRoot() }
    guard let loudest = levels.max() else { return [Int](repeating: 0, count: 64) }
    let ceiling = max(loudest, Verdict.quiet)
    return levels.map { Int(($0 / ceiling * 100).rounded()) }
  }
}

/// Packs 100 values of 5 bits into 63 bytes, least significant bit first; missing values are 0.
func packedBits(_ values: [UInt8]) -> [Int] {
  var bytes = [Int](repeating: 0, count: 63)
  for (index, value) in values.prefix(100).enumerated() {
    let bits = Int(value & 31) << (index * 5 % 8)
    bytes[index * 5 / 8] |= bits & 255
    if bits > 255 { bytes[index * 5 / 8 + 1] |= bits >> 8 }
  }
  return bytes
}
