import Testing

@testable import VoiceCore

@Suite struct WaveformTests {
  @Test("up to 160 peaks are the waveform as they are", arguments: [0, 1, 12, 159, 160])
  func few(count: Int) {
    let peaks = (0..<count).map { Float($0) / 160 }
    #expect(Waveform(peaks: peaks).values == peaks.map { Double($0) })
  }

  @Test("more are 160 maxima of equal stretches", arguments: [161, 319, 320, 6_000, 72_001])
  func many(count: Int) {
    var peaks = [Float](repeating: 0.1, count: count)
    peaks[count / 2] = 0.9
    peaks[count - 1] = 0.8
    let values = Waveform(peaks: peaks).values
    #expect(values.count == 160)
    #expect(values[159] == Double(Float(0.8)))
    #expect(values.count { $0 > 0.85 } == 1)
    #expect(values[80] > 0.85 || values[79] > 0.85)
  }

  @Test("every peak is in exactly one stretch")
  func stretches() {
    for count in [100, 101, 199, 1_234] {
      for index in [0, 1, 57, 99, count - 1] {
        var values = [Float](repeating: 0, count: count)
        values[index] = 1
        #expect(peakResampled(values, to: 100).count { $0 == 1 } == 1, "\(index) of \(count)")
      }
    }
    #expect(peakResampled([1, 2], to: 4) == [1, 1, 2, 2])
    #expect(peakResampled([], to: 4).isEmpty)
  }
}

@Suite struct WaveformBuilderTests {
  private func built(_ sound: [Float], rate: Int = 48_000) -> WaveformBuilder {
    var builder = WaveformBuilder(rate: rate)
    builder.add(sound)
    return builder
  }

  /// The 5-bit values in 63 bytes, read independently of how they were packed.
  private func unpacked(_ bytes: [Int]) -> [Int] {
    (0..<100).map { index in
      (0..<5).reduce(0) { value, bit in
        let position = index * 5 + bit
        return value | ((bytes[position / 8] >> (position % 8)) & 1) << bit
      }
    }
  }

  private static let lengths: [(seconds: Double, matrix: Int)] = [
    (0.1, 10), (0.6, 60), (1, 100), (30, 100), (41.5, 100), (300, 100),
  ]

  @Test("counts and ranges are right for any length", arguments: lengths)
  func counts(seconds: Double, matrix: Int) {
    let builder = built(Sounds.sine(seconds: seconds, rate: 8_000), rate: 8_000)
    #expect(builder.values(for: .matrix)?.count == matrix)
    #expect(builder.values(for: .matrix256)?.count == matrix)
    #expect(builder.values(for: .telegram)?.count == 63)
    #expect(builder.values(for: .whatsapp)?.count == 64)
    #expect(builder.values(for: .raw) == nil)
    #expect(builder.waveform.values.count == min(160, Int((seconds * 20).rounded(.up))))
    #expect(abs(builder.duration - seconds) < 1e-9)
    #expect(abs(builder.peak - 0.5) < 0.001)
    // A steady sine of 0.5 is the same loudness everywhere: -9.03 dB is 0.751. Windows of 10 ms do not
    // hold whole waves of it, so let them differ by a hundredth.
    for value in builder.values(for: .matrix) ?? [] { #expect(abs(value - 769) <= 10) }
    for value in builder.values(for: .matrix256) ?? [] { #expect(abs(value - 192) <= 3) }
    for value in builder.values(for: .whatsapp) ?? [] { #expect((97...100).contains(value)) }
    // Against a ceiling of 1.8 times the mean, a steady sound is 31 / 1.8 = 17.2.
    for value in unpacked(builder.values(for: .telegram) ?? []) { #expect(value == 17) }
  }

  @Test("silence and what is not a number are all zero")
  func silent() {
    for value in [0, .nan, .infinity] as [Float] {
      let builder = built([Float](repeating: value, count: 48_000))
      for export in WaveformExport.allCases where export != .raw {
        #expect(builder.values(for: export)?.allSatisfy { $0 == 0 } == true, "\(export) \(value)")
      }
      #expect(builder.waveform.values == [Double](repeating: 0, count: 20))
      #expect(builder.peak == 0)
    }
  }

  @Test("no frames at all are an empty waveform, and zeros where the size is fixed")
  func empty() {
    let builder = WaveformBuilder(rate: 48_000)
    #expect(builder.values(for: .matrix) == [])
    #expect(builder.values(for: .telegram) == [Int](repeating: 0, count: 63))
    #expect(builder.values(for: .whatsapp) == [Int](repeating: 0, count: 64))
    #expect(builder.waveform.values.isEmpty)
  }

  @Test(
    "one frame, broken samples of 1e30 and absurd rates trap nowhere", arguments: [0, 1, 48_000])
  func extremes(rate: Int) {
    for value in [0.5, 1e30, -1e30, .greatestFiniteMagnitude] as [Float] {
      for count in [1, 479, 4_801] {
        var sound = [Float](repeating: 0.1, count: count)
        sound[count / 2] = value
        let builder = built(sound, rate: rate)
        #expect(builder.values(for: .matrix)?.allSatisfy { (0...1024).contains($0) } == true)
        #expect(builder.values(for: .whatsapp)?.allSatisfy { (0...100).contains($0) } == true)
        #expect(builder.values(for: .telegram)?.allSatisfy { (0...255).contains($0) } == true)
      }
    }
  }

  @Test("every export is loud where the sound is loud, also after many foldings")
  func shape() {
    let half = 150.0
    let sound =
      Sounds.silence(seconds: half, rate: 8_000) + Sounds.sine(seconds: half, rate: 8_000)
    let builder = built(sound, rate: 8_000)
    var shapes = [builder.waveform.values]
    for export in [WaveformExport.matrix, .matrix256, .whatsapp] {
      shapes.append((builder.values(for: export) ?? []).map(Double.init))
    }
    shapes.append(unpacked(builder.values(for: .telegram) ?? []).map(Double.init))
    for values in shapes {
      let middle = values.count / 2
      #expect(values[..<(middle - 1)].allSatisfy { $0 == 0 })
      #expect(values[(middle + 1)...].allSatisfy { $0 > 0.5 * (values.max() ?? 0) })
    }
  }

  @Test("any chunking gives the same exports")
  func chunking() {
    let seed = UInt64.random(in: 0...UInt64.max)
    var random = SeededRandom(seed: seed)
    let sound = Sounds.noise(seconds: 1.7, seed: seed)
    let whole = built(sound)
    var parts = WaveformBuilder(rate: 48_000)
    sound.chunked(upTo: 1_000, using: &random) { parts.add($0) }
    #expect(parts.waveform == whole.waveform, "seed \(seed)")
    for export in WaveformExport.allCases {
      #expect(parts.values(for: export) == whole.values(for: export), "seed \(seed)")
    }
  }

  @Test("a quiet room does not fill the bars")
  func quietRoom() {
    let builder = built(Sounds.noise(seconds: 2, amplitude: 0.001))
    #expect(builder.values(for: .whatsapp)?.allSatisfy { $0 < 12 } == true)
    #expect(unpacked(builder.values(for: .telegram) ?? []).allSatisfy { $0 == 0 })
    #expect(builder.values(for: .matrix)?.allSatisfy { $0 == 0 } == true)
  }

  @Test("five bits a value, least significant bit first, 63 bytes")
  func packing() {
    #expect(packedBits([31]).prefix(2) == [31, 0])
    #expect(packedBits([0, 31]).prefix(2) == [0b1110_0000, 0b11])
    #expect(packedBits([1, 2, 3]).prefix(2) == [0b0100_0001, 0b0000_1100])
    let seed = UInt64.random(in: 0...UInt64.max)
    var random = SeededRandom(seed: seed)
    let values = (0..<100).map { _ in UInt8.random(in: 0...31, using: &random) }
    #expect(unpacked(packedBits(values)) == values.map(Int.init), "seed \(seed)")
    #expect(packedBits(values).count == 63)
  }
}
