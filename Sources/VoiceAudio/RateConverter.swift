/// Brings mono sound from the device's rate to 48 kHz, inside `RingWriter.push`.
///
/// A pair of C pointers rather than a protocol, so that calling it on the audio thread touches no
/// Swift object. Made by the program that links a resampler; all memory is there beforehand.
package struct RateConverter {
  /// Converts all of `frames` and answers how many it wrote; allocates nothing, locks nothing.
  package typealias Convert =
    @convention(c) (
      _ context: UnsafeMutableRawPointer, _ input: UnsafePointer<Float>, _ frames: UInt32,
      _ output: UnsafeMutablePointer<Float>, _ room: UInt32
    ) -> UInt32

  let context: UnsafeMutableRawPointer
  let output: UnsafeMutableBufferPointer<Float>
  let convert: Convert

  /// `output` holds what `RingWriter.block` frames become at least; `roomForBlock` says how many.
  package init(
    context: UnsafeMutableRawPointer, output: UnsafeMutableBufferPointer<Float>,
    convert: @escaping Convert
  ) {
    self.context = context
    self.output = output
    self.convert = convert
  }

  /// Frames that one block of the writer may become, from a rate.
  package static func roomForBlock(rate: UInt32) -> Int {
    RingWriter.block * SoundRing.rate / Int(max(rate, 1)) + 64
  }
}
