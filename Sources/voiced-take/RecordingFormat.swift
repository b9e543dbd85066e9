import CAV
import VoiceAudio

/// A kind of file that a recording can be made into.
enum RecordingFormat: String, CaseIterable {
  /// AAC-LC, mono, 24 kHz: plays everywhere.
  case m4a
  /// Ogg/Opus, mono, 48 kHz, 24 kbit/s, tuned for voice: what chat networks want.
  case opus
  /// Ogg/Opus made from 16 kHz sound, for receivers that refuse other input rates.
  case opus16k
  /// 16-bit mono 16 kHz: what speech engines want.
  case wav16k
  /// 32-bit float mono 48 kHz: the sound as it came.
  case wav
  /// 16-bit mono 48 kHz without loss.
  case flac

  init(named name: String) throws(TakeFailure) {
    guard let format = Self(rawValue: name) else {
      let names = Self.allCases.map(\.rawValue).joined(separator: ", ")
      throw TakeFailure(.invalidValue, "there is no format \"\(name)\"; there are \(names)")
    }
    self = format
  }

  var fileExtension: String {
    switch self {
    case .m4a: "m4a"
    case .opus, .opus16k: "ogg"
    case .wav16k, .wav: "wav"
    case .flac: "flac"
    }
  }

  /// MIME type; WhatsApp drops Ogg without the codecs part.
  var mediaType: String {
    switch self {
    case .m4a: "audio/mp4"
    case .opus, .opus16k: "audio/ogg; codecs=opus"
    case .wav16k, .wav: "audio/wav"
    case .flac: "audio/flac"
    }
  }

  /// Frames a second that are encoded.
  var rate: UInt32 {
    switch self {
    case .m4a: 24_000
    case .opus16k, .wav16k: 16_000
    case .opus, .wav, .flac: 48_000
    }
  }
}
