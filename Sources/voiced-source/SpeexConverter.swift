import CSpeex
import VoiceAudio

/// A resampler to 48 kHz on libspeexdsp, with the memory it needs.
///
/// Quality 5 of 10: 80 taps, images and aliases below the noise of any microphone, 0.8 ms held
/// back. Owned by whoever frees it; used by one thread at a time.
struct SpeexConverter {
  static let quality: Int32 = 5

  let converter: RateConverter
  /// Frames at the device's rate that it holds back.
  let latency: Int
  private let state: OpaquePointer
  private let output: UnsafeMutableBufferPointer<Float>

  /// Allocates, so never on an audio thread.
  ///
  /// `nil` when there is no memory.
  init?(rate: UInt32) {
    var code: Int32 = 0
    guard
      let state = speex_resampler_init(1, rate, UInt32(SoundRing.rate), Self.quality, &code)
    else { return nil }
    // Without this its first frames would be the zeros that it starts with.
    speex_resampler_skip_zeros(state)
    self.state = state
    output = .allocate(capacity: RateConverter.roomForBlock(rate: rate))
    latency = Int(speex_resampler_get_input_latency(state))
    converter = RateConverter(
      context: UnsafeMutableRawPointer(state), output: output
    ) { context, input, frames, output, room in
      var taken = frames
      var made = room
      speex_resampler_process_float(OpaquePointer(context), 0, input, &taken, output, &made)
      return made
    }
  }

  func free() {
    speex_resampler_destroy(state)
    output.deallocate()
  }
}
