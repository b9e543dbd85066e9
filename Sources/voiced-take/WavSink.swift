import VoiceAudio

/// Writes a WAV file, float or 16-bit.
final class WavSink: FrameSink {
  private let file: OpenFile
  private let header: WavHeader
  private var frames: UInt64 = 0
  private var shorts: [Int16] = []

  init(_ file: OpenFile, _ format: WavFormat) throws(TakeFailure) {
    self.file = file
    // 16-bit files get the plain 44 bytes that simple readers expect: 4 GiB of them are 37 hours.
    header = WavHeader(format: format, grows: format.encoding == .float32)
    try file.write(header.bytes(frames: 0), at: 0)
  }

  func append(_ chunk: UnsafeBufferPointer<Float>) throws(TakeFailure) {
    let offset = UInt64(header.length) + frames * UInt64(header.format.frameBytes)
    if header.format.encoding == .float32 {
      try file.write(UnsafeRawBufferPointer(chunk), at: offset)
    } else {
      shorts.removeAll(keepingCapacity: true)
      shorts.append(contentsOf: chunk.lazy.map { Int16(fullScale: $0) })
      let result = shorts.withUnsafeBytes { raw in
        Result { () throws(TakeFailure) in try file.write(raw, at: offset) }
      }
      try result.get()
    }
    frames += UInt64(chunk.count)
  }

  func finish() throws(TakeFailure) {
    try file.write(header.bytes(frames: frames), at: 0)
  }
}

extension Int16 {
  /// The nearest 16-bit value of a finite sample; full scale is 1, and what is beyond it is cut.
  init(fullScale sample: Float) {
    let scaled = (sample * 32768).rounded(.toNearestOrEven)
    self = Int16(Swift.max(-32768, Swift.min(32767, scaled)))
  }
}
