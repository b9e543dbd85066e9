/// Why bytes are not a WAV file that can be read here.
package enum WavFault: Error, Equatable, Sendable {
  /// No RIFF/RF64 form of kind WAVE at the head.
  case notWav
  /// The file ends before its header does.
  case cutHeader
  /// No usable `fmt ` chunk.
  case noFormat
  /// No `data` chunk.
  case noData
  case badRate(UInt32)
  case badChannels(Int)
  /// A WAV file, but of a coding that only a codec library reads.
  case unsupported(tag: UInt16, bits: Int)

  /// One sentence for a person.
  package var text: String {
    switch self {
    case .notWav: "it is not a WAV file"
    case .cutHeader: "the WAV header is cut off"
    case .noFormat: "the WAV file does not say what format its sound has"
    case .noData: "the WAV file holds no sound"
    case .badRate(let rate): "the WAV header claims \(rate) frames a second"
    case .badChannels(let channels): "the WAV header claims \(channels) channels"
    case .unsupported(let tag, let bits):
      "the WAV file uses coding \(tag) with \(bits) bits, which is not plain PCM"
    }
  }
}
