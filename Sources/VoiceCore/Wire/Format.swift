/// What a recording is written as; the raw value is the word on the wire and of `--format`.
package enum Format: String, CaseIterable, Sendable {
  /// AAC-LC, mono, 24 kHz.
  case m4a
  /// Ogg Opus, mono, 48 kHz, 24 kbit/s, tuned for voice.
  case opus
  /// Ogg Opus from 16 kHz, for receivers that refuse more.
  case opus16k
  /// 16-bit mono WAV at 16 kHz, for speech engines.
  case wav16k
  /// Float mono WAV at 48 kHz, as recorded.
  case wav
  case flac

  /// The format used when nobody names one.
  package static let usual = Format.m4a

  /// The file's name extension, without the dot.
  package var fileExtension: String {
    switch self {
    case .m4a: "m4a"
    case .opus, .opus16k: "opus"
    case .wav16k, .wav: "wav"
    case .flac: "flac"
    }
  }

  /// The MIME type, with the parameter that chat clients need to take Opus for a voice message.
  package var mediaType: String {
    switch self {
    case .m4a: "audio/mp4"
    case .opus, .opus16k: "audio/ogg; codecs=opus"
    case .wav16k, .wav: "audio/wav"
    case .flac: "audio/flac"
    }
  }

  /// Frames a second that the sound is encoded at.
  package var rate: Int {
    switch self {
    case .m4a: 24_000
    case .opus16k, .wav16k: 16_000
    case .opus, .wav, .flac: 48_000
    }
  }
}
