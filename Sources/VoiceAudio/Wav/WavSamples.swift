extension WavFormat {
  /// Replaces `samples` by one channel's samples of whole frames, full scale 1.
  ///
  /// A partial last frame is left out. Floats are passed on as they are, also what is not finite.
  package func copy(channel: Int, of frames: UnsafeRawBufferPointer, to samples: inout [Float]) {
    let step = frameBytes
    let count = frames.count / step
    guard channel >= 0, channel < channels, count > 0 else { return samples.removeAll() }
    let first = channel * encoding.bytes
    if samples.count != count { samples = [Float](repeating: 0, count: count) }
    func each(_ sample: (Int) -> Float) {
      samples.withUnsafeMutableBufferPointer { samples in
        for index in 0..<count { samples[index] = sample(first + index * step) }
      }
    }
    func load<T: BitwiseCopyable>(_ offset: Int, _: T.Type = T.self) -> T {
      frames.loadUnaligned(fromByteOffset: offset, as: T.self)
    }
    switch encoding {
    case .unsigned8: each { (Float(load($0, UInt8.self)) - 128) / 128 }
    case .signed16: each { Float(Int16(littleEndian: load($0))) / 32768 }
    case .signed24:
      each { offset in
        let low = UInt32(load(offset, UInt8.self)) << 8
        let high = UInt32(UInt16(littleEndian: load(offset + 1))) << 16
        return Float(Int32(bitPattern: high | low)) / 2_147_483_648
      }
    case .signed32: each { Float(Int32(littleEndian: load($0))) / 2_147_483_648 }
    case .float32: each { Float(bitPattern: UInt32(littleEndian: load($0))) }
    case .float64: each { Float(Double(bitPattern: UInt64(littleEndian: load($0)))) }
    case .aLaw: each { Float(aLaw: load($0)) }
    case .muLaw: each { Float(muLaw: load($0)) }
    }
  }
}

extension Float {
  /// ITU-T G.711, mu-law: inverted bits, a biased 14-bit value as sign, exponent and mantissa.
  init(muLaw byte: UInt8) {
    let bits = Int32(~byte)
    let value = ((((bits & 15) << 3) + 132) << ((bits >> 4) & 7)) - 132
    self = Float(bits & 128 == 0 ? value : -value) / 32768
  }

  /// ITU-T G.711, A-law: every second bit inverted, a 13-bit value as sign, exponent and mantissa.
  init(aLaw byte: UInt8) {
    let bits = Int32(byte ^ 0x55)
    let exponent = (bits >> 4) & 7
    let mantissa = ((bits & 15) << 4) + 8
    let value = exponent == 0 ? mantissa : (mantissa + 256) << (exponent - 1)
    self = Float(bits & 128 == 0 ? -value : value) / 32768
  }
}
