/// The bytes before the first frame of a WAV file that this package writes.
///
/// With `grows` the header keeps room for 64-bit sizes, so that a file that outgrows four
/// gigabytes becomes RF64 in place; without it 16-bit files have the 44 bytes that simple readers
/// expect, and a size beyond 32 bits is given as "to the end of the file".
package struct WavHeader: Equatable, Sendable {
  package let format: WavFormat
  package let grows: Bool

  package init(format: WavFormat, grows: Bool) {
    self.format = format
    self.grows = grows
  }

  /// Bytes of the header, the same for every number of frames.
  package var length: Int { 12 + (grows ? 36 : 0) + (isInteger ? 24 : 38) + 8 }

  private var isInteger: Bool { format.encoding.tag == 1 }

  /// The header of a file of so many frames.
  package func bytes(frames: UInt64) -> [UInt8] {
    let (data, overflow) = frames.multipliedReportingOverflow(by: UInt64(format.frameBytes))
    let sound = min(overflow ? .max : data, .max - UInt64(length))
    let riff = sound + UInt64(length) - 8
    let long = grows && riff > UInt64(UInt32.max)
    var out = Array((long ? "RF64" : "RIFF").utf8)
    out += (long ? UInt32.max : UInt32(clamping: riff)).littleEndianBytes + Array("WAVE".utf8)
    if grows {
      out += Array((long ? "ds64" : "JUNK").utf8) + UInt32(28).littleEndianBytes
      if long {
        out += riff.littleEndianBytes + sound.littleEndianBytes + frames.littleEndianBytes
        out += UInt32(0).littleEndianBytes
      } else {
        out += [UInt8](repeating: 0, count: 28)
      }
    }
    out += Array("fmt ".utf8) + UInt32(isInteger ? 16 : 18).littleEndianBytes
    out += format.encoding.tag.littleEndianBytes + UInt16(format.channels).littleEndianBytes
    out += format.rate.littleEndianBytes
    out += UInt32(clamping: Int(format.rate) * format.frameBytes).littleEndianBytes
    out += UInt16(clamping: format.frameBytes).littleEndianBytes
    out += UInt16(format.encoding.bytes * 8).littleEndianBytes
    if !isInteger {
      // The format's own rules: an extension size, and the frames of anything but integer PCM.
      out += UInt16(0).littleEndianBytes + Array("fact".utf8) + UInt32(4).littleEndianBytes
      out += (long ? UInt32.max : UInt32(clamping: frames)).littleEndianBytes
    }
    out += Array("data".utf8) + (long ? UInt32.max : UInt32(clamping: sound)).littleEndianBytes
    return out
  }
}
