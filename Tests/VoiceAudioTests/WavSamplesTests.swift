import Testing
import VoiceAudio

@Suite struct WavSamplesTests {
  private func samples(
    _ encoding: WavEncoding, _ bytes: [UInt8], channels: Int = 1, channel: Int = 0
  ) -> [Float] {
    var out: [Float] = [9, 9]
    let format = WavFormat(encoding: encoding, rate: 8000, channels: channels)
    bytes.withUnsafeBytes { format.copy(channel: channel, of: $0, to: &out) }
    return out
  }

  @Test("every encoding has its zero, its ends and its sign")
  func encodings() {
    #expect(samples(.unsigned8, [128, 0, 255]) == [0, -1, 127 / 128])
    #expect(samples(.signed16, [0, 0, 0, 0x80, 0xFF, 0x7F]) == [0, -1, 32767 / 32768])
    #expect(samples(.signed24, [0, 0, 0, 0, 0, 0x80, 0, 0, 0x40]) == [0, -1, 0.5])
    #expect(samples(.signed32, [0, 0, 0, 0, 0, 0, 0, 0x80, 0, 0, 0, 0x40]) == [0, -1, 0.5])
    #expect(samples(.float32, WavSpecimen.little(Float(-0.25).bitPattern)) == [-0.25])
    #expect(samples(.float64, WavSpecimen.little(Double(1.5).bitPattern)) == [1.5])
    // G.711: the ends and the smallest steps.
    #expect(samples(.muLaw, [0xFF, 0x7F, 0x80, 0x00]) == [0, 0, 32124 / 32768, -32124 / 32768])
    #expect(samples(.aLaw, [0xD5, 0x55, 0xAA, 0x2A]) == [8, -8, 32256, -32256].map { $0 / 32768 })
  }

  @Test("floats that are no numbers are passed on, for the meter to read as 0")
  func notFinite() {
    let bytes = [Float.nan, .infinity, 1e30].flatMap { WavSpecimen.little($0.bitPattern) }
    let out = samples(.float32, bytes)
    #expect(out[0].isNaN && out[1] == .infinity && out[2] == 1e30)
  }

  @Test("one channel of many is taken, and a partial last frame is not")
  func channels() {
    let bytes: [UInt8] = [0, 0x10, 0, 0x20, 0, 0x30, 0, 0x40, 0, 0x50]
    #expect(samples(.signed16, bytes, channels: 2, channel: 1) == [0.25, 0.5])
    #expect(samples(.signed16, bytes, channels: 2, channel: 2) == [])
    #expect(samples(.signed16, [1], channels: 2) == [])
  }
}
