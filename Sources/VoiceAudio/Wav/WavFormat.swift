/// How one sample lies in a WAV file, little-endian.
package enum WavEncoding: Equatable, Sendable, CaseIterable {
  case unsigned8, signed16, signed24, signed32, float32, float64, aLaw, muLaw

  /// Bytes of one sample.
  package var bytes: Int {
    switch self {
    case .unsigned8, .aLaw, .muLaw: 1
    case .signed16: 2
    case .signed24: 3
    case .signed32, .float32: 4
    case .float64: 8
    }
  }

  /// The format tag of the `fmt ` chunk.
  package var tag: UInt16 {
    switch self {
    case .unsigned8, .signed16, .signed24, .signed32: 1
    case .float32, .float64: 3
    case .aLaw: 6
    case .muLaw: 7
    }
  }
}

/// What a WAV file's frames are.
package struct WavFormat: Equatable, Sendable {
  package var encoding: WavEncoding
  /// Frames a second, at least 1.
  package var rate: UInt32
  /// At least 1.
  package var channels: Int

  package init(encoding: WavEncoding, rate: UInt32, channels: Int = 1) {
    self.encoding = encoding
    self.rate = rate
    self.channels = channels
  }

  /// Bytes of one frame, all channels.
  package var frameBytes: Int { encoding.bytes * channels }
}

extension WavFormat {
  /// Channels beyond this are taken for damage, not for sound; FFmpeg's own limit is 512.
  static let mostChannels = 512
  /// Rates beyond this are taken for damage; the fastest converters sold run at 768 kHz.
  static let highestRate: UInt32 = 3_072_000

  /// Reads a `fmt ` chunk's body, of which nothing is trusted.
  init(chunk: [UInt8]) throws(WavFault) {
    guard chunk.count >= 16 else { throw .noFormat }
    var tag = UInt16(littleEndian: chunk, at: 0)
    let channels = Int(UInt16(littleEndian: chunk, at: 2))
    let rate = UInt32(littleEndian: chunk, at: 4)
    let align = Int(UInt16(littleEndian: chunk, at: 12))
    let bits = Int(UInt16(littleEndian: chunk, at: 14))
    if tag == 0xFFFE {
      // The sub-format is a GUID that begins with the plain tag.
      guard chunk.count >= 40 else { throw .noFormat }
      tag = UInt16(littleEndian: chunk, at: 24)
    }
    guard channels > 0, channels <= Self.mostChannels else { throw .badChannels(channels) }
    guard rate > 0, rate <= Self.highestRate else { throw .badRate(rate) }
    // The container counts: 20 valid bits in 24 are read as 24.
    let container = align % channels == 0 && align > 0 ? align / channels : (bits + 7) / 8
    let match = WavEncoding.allCases.first { $0.tag == tag && $0.bytes == container }
    guard let match, (container - 1) * 8 < max(bits, 1), bits <= container * 8 else {
      throw .unsupported(tag: tag, bits: bits)
    }
    self.init(encoding: match, rate: rate, channels: channels)
  }
}

extension FixedWidthInteger {
  /// Reads a little-endian number from checked bytes: bytes that are not there read as 0.
  init(littleEndian bytes: [UInt8], at offset: Int) {
    var value: Self = 0
    for index in (0..<(Self.bitWidth / 8)).reversed() {
      let byte = bytes.indices.contains(offset + index) ? bytes[offset + index] : 0
      value = (value << 8) | Self(truncatingIfNeeded: byte)
    }
    self = value
  }

  /// The number's bytes, least significant first.
  var littleEndianBytes: [UInt8] {
    (0..<(Self.bitWidth / 8)).map { UInt8(truncatingIfNeeded: self >> Self($0 * 8)) }
  }
}
