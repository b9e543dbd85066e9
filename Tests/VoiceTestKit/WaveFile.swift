import Glibc
import VoiceIO

/// WAV files for tests, read and written without the code under test.
package struct WaveFile {
  package let rate: Int
  /// Samples a channel, full scale 1.
  package let channels: [[Float]]

  package var seconds: Double { Double(channels.first?.count ?? 0) / Double(rate) }

  /// Reads 16-bit or float PCM; a data chunk that claims more than is there is cut to what is.
  package init(_ path: String) throws {
    let bytes = ProcessFacts.content(of: path)
    func number(_ at: Int, _ width: Int) -> Int {
      (0..<width).reduce(0) { $0 | Int(bytes[at + $1]) << (8 * $1) }
    }
    func tag(_ at: Int) -> String { String(decoding: bytes[at..<at + 4], as: UTF8.self) }
    guard bytes.count >= 12, tag(0) == "RIFF" || tag(0) == "RF64", tag(8) == "WAVE" else {
      throw RigFailure("\(path) is no WAV file")
    }
    var place = 12
    var format = (code: 0, channels: 0, rate: 0, bits: 0)
    while place + 8 <= bytes.count {
      let body = place + 8
      let size = number(place + 4, 4)
      if tag(place) == "fmt ", body + 16 <= bytes.count {
        format = (number(body, 2), number(body + 2, 2), number(body + 4, 4), number(body + 14, 2))
        // The extensible form names the real one at the head of its GUID.
        if format.code == 0xFFFE, body + 26 <= bytes.count { format.code = number(body + 24, 2) }
      }
      if tag(place) == "data" {
        let data = bytes[body..<min(bytes.count, body + size)]
        guard format.channels > 0 else { throw RigFailure("\(path) has no format") }
        rate = format.rate
        channels = try Self.samples(data, format.code, format.bits, format.channels)
        return
      }
      place = body + size + size % 2
    }
    throw RigFailure("\(path) has no sound")
  }

  private static func samples(
    _ data: ArraySlice<UInt8>, _ code: Int, _ bits: Int, _ count: Int
  ) throws -> [[Float]] {
    var channels = [[Float]](repeating: [], count: count)
    switch (code, bits) {
    case (3, 32):
      let frames = data.count / (4 * count)
      data.withUnsafeBytes { raw in
        for channel in 0..<count {
          channels[channel] = (0..<frames).map {
            raw.loadUnaligned(fromByteOffset: 4 * ($0 * count + channel), as: Float.self)
          }
        }
      }
    case (1, 16):
      let frames = data.count / (2 * count)
      data.withUnsafeBytes { raw in
        for channel in 0..<count {
          channels[channel] = (0..<frames).map {
            Float(raw.loadUnaligned(fromByteOffset: 2 * ($0 * count + channel), as: Int16.self))
              / 32768
          }
        }
      }
    default: throw RigFailure("a WAV of kind \(code) with \(bits) bits is not read here")
    }
    return channels
  }

  /// Writes float PCM; given `seconds`, the sound is repeated or cut to that length.
  package static func write(
    _ path: String, channels: [[Float]], rate: Int = Sound.rate, seconds: Double? = nil
  ) throws {
    let count = channels.count
    let period = channels.map(\.count).min() ?? 0
    guard count > 0, period > 0 else { throw RigFailure("no samples for \(path)") }
    var block = channels[0]
    if count > 1 {
      block = []
      block.reserveCapacity(period * count)
      for frame in 0..<period { for channel in channels { block.append(channel[frame]) } }
    }
    let frames = seconds.map { Int($0 * Double(rate)) } ?? period
    let size = frames * count * 4
    var head: [UInt8] = []
    func append(_ text: String) { head += Array(text.utf8) }
    func append(_ number: Int, _ width: Int) {
      head += (0..<width).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
    }
    append("RIFF")
    append(36 + size, 4)
    append("WAVEfmt ")
    append(16, 4)
    append(3, 2)
    append(count, 2)
    append(rate, 4)
    append(rate * count * 4, 4)
    append(count * 4, 2)
    append(32, 2)
    append("data")
    append(size, 4)
    let file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
    guard file >= 0 else { throw IOError.last("write \(path)") }
    defer { close(file) }
    guard Glibc.write(file, head, head.count) == head.count else {
      throw IOError.last("write \(path)")
    }
    var left = frames
    while left > 0 {
      let bytes = min(left, period) * count * 4
      guard Glibc.write(file, block, bytes) == bytes else { throw IOError.last("write \(path)") }
      left -= min(left, period)
    }
  }
}
