import VoiceAudio

/// The WAV reader on any bytes: where it says sound is, there is sound.
enum WavTarget {
  static func run(_ input: [UInt8]) -> Int32 {
    // The first byte says how much longer the file is than what can be read of it.
    guard let first = input.first else { return 0 }
    let file = Array(input.dropFirst())
    let size = UInt64(file.count) + (first & 0x0f == 0 ? 0 : UInt64(1) << (first & 0x3f))
    for toEnd in [false, true] {
      guard
        let wav = try? WavFile(
          size: size, toEnd: toEnd,
          read: { offset, count in
            guard offset < UInt64(file.count), count > 0 else { return [] }
            return Array(file[Int(offset)...].prefix(count))
          })
      else { continue }
      check(wav, size: size)
      decode(wav, file)
    }
    return 0
  }

  private static func check(_ wav: WavFile, size: UInt64) {
    let frame = UInt64(wav.format.frameBytes)
    let (bytes, overflow) = wav.frames.multipliedReportingOverflow(by: frame)
    if frame == 0 || overflow { broken("frames have a size, and all of them fit 64 bits") }
    if wav.frames > 0, wav.start > size || bytes > size - wav.start {
      broken("every frame lies within the file")
    }
    if !wav.duration.isFinite || wav.duration < 0 { broken("a duration is a number of seconds") }
  }

  private static func decode(_ wav: WavFile, _ file: [UInt8]) {
    guard wav.start < UInt64(file.count) else { return }
    let bytes = Array(file[Int(wav.start)...].prefix(4096))
    var samples: [Float] = []
    for channel in [0, wav.format.channels - 1] {
      bytes.withUnsafeBytes { wav.format.copy(channel: channel, of: $0, to: &samples) }
      if samples.count != bytes.count / wav.format.frameBytes {
        broken("every whole frame is decoded, and no other")
      }
    }
  }
}
