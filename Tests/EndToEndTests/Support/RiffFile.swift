/// WAV files chunk by chunk, so that every one can be wrong.
struct RiffFile {
  private(set) var bytes: [UInt8] = []

  /// The material as 16-bit samples.
  static let samples = FileMaker.material.flatMap { little(Int($0 * 32_767), 2) }

  static func little(_ number: Int, _ width: Int) -> [UInt8] {
    (0..<width).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
  }

  static func format(
    tag: Int = 1, channels: Int = 1, rate: Int = 48_000, more: [UInt8] = []
  ) -> [UInt8] {
    little(tag, 2) + little(channels, 2) + little(rate, 4) + little(rate * channels * 2, 4)
      + little(channels * 2, 2) + little(16, 2) + more
  }

  /// `claimed` is written where the true size belongs.
  init(_ chunks: [(name: String, body: [UInt8])], data claimed: Int? = nil, padded: Bool = true) {
    for (name, body) in chunks {
      let size = name == "data" ? claimed ?? body.count : body.count
      bytes += Array(name.utf8) + Self.little(size, 4) + body
      if padded, body.count % 2 == 1 { bytes.append(0) }
    }
    let size = claimed == nil ? bytes.count + 4 : claimed ?? 0
    bytes = Array("RIFF".utf8) + Self.little(size, 4) + Array("WAVE".utf8) + bytes
  }

  /// All that stands before so many bytes of 16-bit samples: RF64, or a RIFF whose sizes wrap.
  static func head(data size: Int, isLong: Bool) -> [UInt8] {
    let format = Array("fmt ".utf8) + little(16, 4) + format()
    if !isLong {
      return Array("RIFF".utf8) + little(size + 36, 4) + Array("WAVE".utf8) + format
        + Array("data".utf8) + little(size, 4)
    }
    let unknown = little(-1, 4)
    let sizes = little(size + 72, 8) + little(size, 8) + little(size / 2, 8) + little(0, 4)
    return Array("RF64".utf8) + unknown + Array("WAVEds64".utf8) + little(28, 4) + sizes + format
      + Array("data".utf8) + unknown
  }

  /// The plain one, of 44 bytes and the samples.
  static var plain: RiffFile { RiffFile([("fmt ", format()), ("data", samples)]) }
}
