import Testing
import VoiceAudio

@Suite struct WavHeaderTests {
  private let spool = WavHeader(format: WavFormat(encoding: .float32, rate: 48_000), grows: true)
  private let plain = WavHeader(format: WavFormat(encoding: .signed16, rate: 16_000), grows: false)

  @Test("what is written is read back, at every length", arguments: [0, 1, 12_345, 1 << 29])
  func roundTrip(frames: UInt64) throws {
    for header in [spool, plain] {
      let size = UInt64(header.length) + frames * UInt64(header.format.frameBytes)
      let file = try wav(header.bytes(frames: frames), size: size)
      #expect(file.format == header.format)
      #expect(file.start == UInt64(header.length))
      #expect(file.frames == frames)
      #expect(file.condition == .whole)
    }
  }

  @Test("16-bit files have the plain 44 bytes that simple readers expect")
  func plainHeader() {
    #expect(plain.length == 44)
    #expect(
      plain.bytes(frames: 16_000)
        == WavSpecimen(
          data: 0, format: WavSpecimen.fmt(tag: 1, channels: 1, rate: 16_000, bits: 16),
          claimed: 32_000
        ).withRiffSize(36 + 32_000))
  }

  @Test("a header keeps its length when its file outgrows four gigabytes, and says the right sizes")
  func grows() throws {
    // The last frames of 2 GiB, of 4 GiB less the header, and beyond.
    let header = UInt64(spool.length)
    let lastPlain = (UInt64(UInt32.max) + 8 - header) / 4
    let lengths: [UInt64] = [(1 << 29) - 1, 1 << 29, lastPlain, lastPlain + 1, 1 << 30, 1 << 40]
    for frames in lengths {
      let bytes = spool.bytes(frames: frames)
      #expect(bytes.count == spool.length)
      let isLong = frames > lastPlain
      #expect(Array(bytes[0..<4]) == Array((isLong ? "RF64" : "RIFF").utf8))
      let file = try wav(bytes, size: header + frames * 4)
      #expect(file.frames == frames)
      #expect(file.condition == .whole)
    }
  }

  @Test("a file without room for long sizes says \"to the end\" when it outgrows them")
  func saturates() throws {
    let frames: UInt64 = 3 << 30
    #expect(try wav(plain.bytes(frames: frames), size: 44 + frames * 2).frames == frames)
  }

  @Test("no number of frames overflows")
  func overflow() {
    let lengths: [UInt64] = [.max, .max / 2, .max / 4, .max / 4 + 1]
    for frames in lengths {
      #expect(spool.bytes(frames: frames).count == spool.length)
      #expect(plain.bytes(frames: frames).count == plain.length)
    }
  }
}

extension WavSpecimen {
  fileprivate func withRiffSize(_ size: UInt32) -> [UInt8] {
    var copy = self
    copy.riffSize = size
    return copy.bytes
  }
}
