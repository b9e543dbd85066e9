import VoiceAudio

/// WAV bytes made by hand, right or wrong in a chosen way.
struct WavSpecimen {
  var form = "RIFF"
  var riffSize: UInt32?
  /// Name, body, and the size that the header claims when it is not the body's.
  var chunks: [(name: String, body: [UInt8], claimed: UInt32?)] = []
  var padsOddChunks = true

  /// 16-bit mono at 48 kHz.
  static let format = fmt(tag: 1, channels: 1, rate: 48_000, bits: 16)

  static func fmt(
    tag: UInt16, channels: UInt16, rate: UInt32, bits: UInt16, align: UInt16? = nil,
    extra: [UInt8] = []
  ) -> [UInt8] {
    let align = align ?? channels * ((bits + 7) / 8)
    return little(tag) + little(channels) + little(rate) + little(rate &* UInt32(align))
      + little(align) + little(bits) + extra
  }

  /// The tail of an EXTENSIBLE format: size, valid bits, speakers, and the GUID of a plain tag.
  static func extensible(tag: UInt16, validBits: UInt16) -> [UInt8] {
    little(UInt16(22)) + little(validBits) + little(UInt32(0)) + little(tag)
      + [0, 0, 0, 0, 0x10, 0, 0x80, 0, 0, 0xAA, 0, 0x38, 0x9B, 0x71]
  }

  static func little<T: FixedWidthInteger>(_ value: T) -> [UInt8] {
    withUnsafeBytes(of: value.littleEndian) { Array($0) }
  }

  /// `format`, then so many bytes of `data`.
  init(data: Int = 96_000, format: [UInt8] = Self.format, claimed: UInt32? = nil) {
    chunks = [("fmt ", format, nil), ("data", Self.noise(data), claimed)]
  }

  /// Bytes that hold chunk names here and there, as sound may by chance.
  static func noise(_ count: Int) -> [UInt8] {
    let names = Array("fmt LISTdata".utf8)
    return (0..<count).map { $0 % 997 < 12 ? names[$0 % 997] : UInt8(truncatingIfNeeded: $0 &* 31) }
  }

  var bytes: [UInt8] {
    var body = Array("WAVE".utf8)
    for chunk in chunks {
      body += Array(chunk.name.utf8) + Self.little(chunk.claimed ?? UInt32(chunk.body.count))
      body += chunk.body
      if padsOddChunks, chunk.body.count % 2 == 1 { body.append(0) }
    }
    return Array(form.utf8) + Self.little(riffSize ?? UInt32(body.count)) + body
  }

  func read(toEnd: Bool = false) throws(WavFault) -> WavFile { try wav(bytes, toEnd: toEnd) }
}

/// Reads the facts of WAV bytes; `size` pretends a longer file, whose rest reads as zeros.
func wav(_ bytes: [UInt8], size: UInt64? = nil, toEnd: Bool = false) throws(WavFault) -> WavFile {
  let size = size ?? UInt64(bytes.count)
  return try WavFile(size: size, toEnd: toEnd) { offset, count in
    guard offset < size else { return [] }
    let there = UInt64(bytes.count) > offset ? Array(bytes[Int(offset)...].prefix(count)) : []
    let zeros = min(UInt64(count), size - offset) - UInt64(there.count)
    return there + [UInt8](repeating: 0, count: Int(zeros))
  }
}
