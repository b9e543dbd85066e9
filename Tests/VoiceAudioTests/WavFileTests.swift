import Testing
import VoiceAudio

@Suite struct WavFileTests {
  @Test("a plain file is 96000 bytes of sound from byte 44 on")
  func plain() throws {
    let file = try WavSpecimen().read()
    #expect(file.start == 44)
    #expect(file.frames == 48_000)
    #expect(file.duration == 1)
    #expect(file.format == WavFormat(encoding: .signed16, rate: 48_000))
    #expect(file.condition == .whole)
  }

  @Test("an odd chunk before the sound is skipped with its padding")
  func oddChunk() throws {
    var specimen = WavSpecimen()
    specimen.chunks.insert(("LIST", [1, 2, 3], nil), at: 1)
    #expect(try specimen.read().start == 44 + 12)
    #expect(try specimen.read().frames == 48_000)
  }

  @Test("an odd chunk whose padding its writer forgot does not turn the sound into noise")
  func missingPadding() throws {
    var specimen = WavSpecimen()
    specimen.padsOddChunks = false
    specimen.chunks.insert(("JUNK", [1, 2, 3], nil), at: 1)
    #expect(try specimen.read().start == 44 + 11)
    specimen.chunks.swapAt(0, 1)
    #expect(try specimen.read().frames == 48_000)
  }

  @Test("sound before its format is found")
  func dataFirst() throws {
    var specimen = WavSpecimen()
    specimen.chunks.swapAt(0, 1)
    #expect(try specimen.read().start == 20)
    #expect(try specimen.read().frames == 48_000)
  }

  @Test("what follows the sound is not sound")
  func chunkAfter() throws {
    var specimen = WavSpecimen()
    specimen.chunks.append(("id3 ", [UInt8](repeating: 7, count: 5001), nil))
    #expect(try specimen.read().frames == 48_000)
    #expect(try specimen.read().condition == .whole)
  }

  @Test("sizes of 0 that were never finished give all that is there, whatever it looks like")
  func neverFinished() throws {
    var specimen = WavSpecimen(claimed: 0)
    specimen.riffSize = 0
    let file = try specimen.read()
    #expect(file.frames == 48_000)
    #expect(file.condition == .recovered)
  }

  @Test("an empty file is empty, also when other chunks follow")
  func empty() throws {
    var specimen = WavSpecimen(data: 0)
    #expect(try specimen.read().frames == 0)
    #expect(try specimen.read().condition == .whole)
    specimen.chunks.append(("LIST", [1, 2, 3], nil))
    #expect(try specimen.read().frames == 0)
  }

  @Test("a size of 0xFFFFFFFF means to the end of the file")
  func endless() throws {
    var specimen = WavSpecimen(claimed: .max)
    specimen.riffSize = .max
    #expect(try specimen.read().frames == 48_000)
    #expect(try specimen.read().condition == .recovered)
  }

  @Test("a cut file ends at its last whole frame and says that it was cut")
  func truncated() throws {
    let file = try wav(Array(WavSpecimen(data: 288_000).bytes.prefix(44 + 96_000 + 1)))
    #expect(file.frames == 48_000)
    #expect(file.condition == .truncated)
  }

  @Test("a file that ends inside its header is refused", arguments: [0, 3, 11, 12, 20, 35, 43])
  func headerOnly(length: Int) {
    #expect(throws: WavFault.self) { try wav(Array(WavSpecimen().bytes.prefix(length))) }
  }

  @Test("a format says by its container how samples lie")
  func containers() throws {
    let cases: [([UInt8], WavEncoding)] = [
      (WavSpecimen.fmt(tag: 1, channels: 1, rate: 8000, bits: 8), .unsigned8),
      (WavSpecimen.fmt(tag: 1, channels: 1, rate: 8000, bits: 24), .signed24),
      (WavSpecimen.fmt(tag: 1, channels: 2, rate: 192_000, bits: 32), .signed32),
      (WavSpecimen.fmt(tag: 1, channels: 1, rate: 8000, bits: 20, align: 3), .signed24),
      (WavSpecimen.fmt(tag: 1, channels: 1, rate: 8000, bits: 12, align: 2), .signed16),
      (WavSpecimen.fmt(tag: 3, channels: 1, rate: 8000, bits: 32), .float32),
      (WavSpecimen.fmt(tag: 3, channels: 1, rate: 8000, bits: 64), .float64),
      (WavSpecimen.fmt(tag: 6, channels: 1, rate: 8000, bits: 8), .aLaw),
      (WavSpecimen.fmt(tag: 7, channels: 1, rate: 8000, bits: 8), .muLaw),
      (
        WavSpecimen.fmt(
          tag: 0xFFFE, channels: 1, rate: 48_000, bits: 24,
          extra: WavSpecimen.extensible(tag: 1, validBits: 20)), .signed24
      ),
      (
        WavSpecimen.fmt(
          tag: 0xFFFE, channels: 6, rate: 48_000, bits: 32,
          extra: WavSpecimen.extensible(tag: 3, validBits: 32)), .float32
      ),
      // A plain tag with the long chunk: the rest is ignored.
      (
        WavSpecimen.fmt(
          tag: 1, channels: 1, rate: 48_000, bits: 16, extra: [UInt8](repeating: 0, count: 24)),
        .signed16
      ),
    ]
    for (format, encoding) in cases {
      #expect(try WavSpecimen(format: format).read().format.encoding == encoding)
    }
  }

  @Test("a format that cannot be is refused by name, and nothing is divided by it")
  func impossible() {
    let cases: [([UInt8], WavFault)] = [
      (WavSpecimen.fmt(tag: 1, channels: 0, rate: 48_000, bits: 16), .badChannels(0)),
      (
        WavSpecimen.fmt(tag: 1, channels: 60_000, rate: 48_000, bits: 16, align: 2),
        .badChannels(60_000)
      ),
      (WavSpecimen.fmt(tag: 1, channels: 1, rate: 0, bits: 16), .badRate(0)),
      (WavSpecimen.fmt(tag: 1, channels: 1, rate: .max, bits: 16), .badRate(.max)),
      (WavSpecimen.fmt(tag: 2, channels: 1, rate: 8000, bits: 4), .unsupported(tag: 2, bits: 4)),
      (
        WavSpecimen.fmt(tag: 1, channels: 1, rate: 8000, bits: 0, align: 0),
        .unsupported(tag: 1, bits: 0)
      ),
      (Array(WavSpecimen.format.prefix(14)), .noFormat),
      (WavSpecimen.fmt(tag: 0xFFFE, channels: 1, rate: 8000, bits: 16), .noFormat),
    ]
    for (format, fault) in cases {
      #expect(throws: fault) { try WavSpecimen(format: format).read() }
    }
  }

  @Test("bytes of another kind, or without sound, are refused")
  func others() throws {
    #expect(throws: WavFault.notWav) {
      try wav(Array("OggS".utf8) + [UInt8](repeating: 0, count: 99))
    }
    #expect(throws: WavFault.notWav) { try wav(Array("RIFFxxxxAVI ".utf8)) }
    var specimen = WavSpecimen()
    specimen.chunks.removeLast()
    #expect(throws: WavFault.noData) { try specimen.read() }
    specimen = WavSpecimen()
    specimen.chunks.removeFirst()
    #expect(throws: WavFault.noFormat) { try specimen.read() }
  }

  @Test("RF64 sizes stand in ds64, small and beyond four gigabytes")
  func longForm() throws {
    func header(_ size: UInt64) -> [UInt8] {
      var specimen = WavSpecimen(data: 0, claimed: .max)
      specimen.form = "RF64"
      specimen.riffSize = .max
      let sizes = WavSpecimen.little(size &+ 72) + WavSpecimen.little(size)
      let rest = [UInt8](repeating: 0, count: 12)
      specimen.chunks.insert(("ds64", sizes + rest, nil), at: 0)
      return specimen.bytes
    }
    let small = try wav(header(96_000), size: 80 + 96_000 + 500)
    #expect(small.frames == 48_000)
    #expect(small.condition == .whole)
    let big: UInt64 = 5 << 30
    let file = try wav(header(big), size: 80 + big)
    #expect(file.frames == big / 2)
    #expect(file.start == 80)
    #expect(try wav(header(.max), size: 80 + 1000).frames == 500)
  }

  @Test("a plain file beyond four gigabytes is as long as it is")
  func tooLongForItsHeader() throws {
    let size: UInt64 = (5 << 30) + 44
    let header = Array(WavSpecimen(data: 0, claimed: 1 << 30).bytes)
    #expect(try wav(header, size: size).frames == (5 << 30) / 2)
    let two = Array(WavSpecimen(data: 0, claimed: 1 << 31).bytes)
    #expect(try wav(two, size: 44 + (1 << 31)).frames == 1 << 30)
    #expect(try wav(two, size: 44 + (1 << 31)).condition == .whole)
  }

  @Test("a spool whose sizes are a second old gives every frame that was written")
  func killedSpool() throws {
    let header = WavHeader(format: WavFormat(encoding: .float32, rate: 48_000), grows: true)
    let bytes = header.bytes(frames: 1000) + [UInt8](repeating: 1, count: 4 * 2500 + 3)
    let file = try wav(bytes, toEnd: true)
    #expect(file.frames == 2500)
    #expect(file.condition == .recovered)
    #expect(try wav(bytes).frames == 1000)
  }

  @Test("no damage to a file makes the reader trap or claim what is not there")
  func damage() {
    var random = SplitMix(state: 7)
    var specimen = WavSpecimen(data: 400)
    specimen.chunks.insert(("LIST", [1, 2, 3], nil), at: 1)
    let good = specimen.bytes
    for _ in 0..<4_000 {
      var bytes = good
      for _ in 0...random.next() % 6 {
        bytes[Int(random.next() % 80)] = UInt8(truncatingIfNeeded: random.next() >> 9)
      }
      bytes.removeLast(Int(random.next() % 40))
      for toEnd in [false, true] {
        guard let file = try? wav(bytes, toEnd: toEnd) else { continue }
        let end = file.start + file.frames * UInt64(file.format.frameBytes)
        #expect(file.frames == 0 || end <= UInt64(bytes.count))
      }
    }
  }
}

/// A small generator with a seed, so that a failure comes again.
struct SplitMix {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}
