import CAV
import VoiceCore

/// How FFmpeg makes a format's file.
struct CodecRecipe {
  var encoder: String
  var muxer: String
  var rate: Int
  var samples: AVSampleFormat
  /// Bits a second; 0 for lossless coders.
  var bitRate: Int64 = 0
  /// Whether the container ends with an index of all packets.
  var hasIndex = false
  var options: [String: String] = [:]

  /// `nil` for formats that need no codec.
  init?(_ format: Format) {
    switch format {
    case .wav, .wav16k: return nil
    case .m4a:
      // The fast coder costs a third of the default one; at two bits a frame nobody hears it on a voice.
      self.init(
        encoder: "aac", muxer: "ipod", rate: format.rate, samples: AV_SAMPLE_FMT_FLTP,
        bitRate: 48_000, hasIndex: true, options: ["aac_coder": "fast"])
    case .opus, .opus16k:
      // With a variable rate the codec saves on what follows a click and leaves an echo 10 ms after it.
      self.init(
        encoder: "libopus", muxer: "ogg", rate: format.rate, samples: AV_SAMPLE_FMT_FLT,
        bitRate: 24_000, options: ["application": "voip", "frame_duration": "20", "vbr": "off"])
    case .flac:
      self.init(encoder: "flac", muxer: "flac", rate: format.rate, samples: AV_SAMPLE_FMT_S16)
    }
  }

  private init(
    encoder: String, muxer: String, rate: Int, samples: AVSampleFormat, bitRate: Int64 = 0,
    hasIndex: Bool = false, options: [String: String] = [:]
  ) {
    self.encoder = encoder
    self.muxer = muxer
    self.rate = rate
    self.samples = samples
    self.bitRate = bitRate
    self.hasIndex = hasIndex
    self.options = options
  }
}
