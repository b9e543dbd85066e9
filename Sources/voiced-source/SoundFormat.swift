import CVoiced
import VoiceAudio

/// A format that a plugin told, with the converter it needs; made on the telling thread, used on
/// the audio thread, freed when a later one has replaced it.
struct SoundFormat {
  let rate: UInt32
  let channels: Int
  let converter: SpeexConverter?
  /// The one retired before this, so that many can wait to be freed.
  var next: UnsafeMutablePointer<SoundFormat>?

  /// `nil` when the format lies beyond the contract's limits, or memory is short.
  init?(_ format: voiced_format) {
    guard (VOICED_MIN_RATE...VOICED_MAX_RATE).contains(format.rate),
      (1...VOICED_MAX_CHANNELS).contains(format.channels)
    else { return nil }
    rate = format.rate
    channels = Int(format.channels)
    if format.rate == UInt32(SoundRing.rate) {
      converter = nil
    } else {
      guard let made = SpeexConverter(rate: format.rate) else { return nil }
      converter = made
    }
  }
}
