import CAV

/// What the chunks at the head of a WAV say, read beside the libraries.
///
/// They play what there is and say nothing of what is missing.
struct WAVHeader {
  /// How the size of the data compares with the bytes that are there.
  enum Claim {
    case holds
    /// The file ends this many seconds before its header says.
    case lacks(seconds: Double)
    /// The header was never finished: its size is 0, or all ones.
    case open
  }

  let claim: Claim
  /// Whether all that is needed stands before the sound, as it nearly always does.
  let isFormatFirst: Bool

  private static let mostChunks = 1000

  /// `nil` when the file is no WAV, or its chunks lead nowhere.
  init?(_ file: AudioFile) {
    var form = Chunk()
    guard form.read(file, at: file.head), form.id("RIFF") || form.id("RF64") else { return nil }
    var position = file.head + 12
    var byteRate: Int64 = 0
    var longSize: Int64?
    for _ in 0..<Self.mostChunks {
      var chunk = Chunk()
      guard chunk.read(file, at: position) else { return nil }
      if chunk.id("data") {
        let isUnknown = chunk.size == Int64(UInt32.max)
        let claimed = isUnknown ? longSize ?? 0 : chunk.size
        let present = file.size - position - 8
        isFormatFirst = byteRate > 0
        if claimed == 0, present > 0 {
          claim = .open
        } else if claimed > present {
          claim = .lacks(seconds: Double(claimed - present) / Double(max(byteRate, 1)))
        } else {
          claim = .holds
        }
        return
      }
      // Bytes a second stand 8 bytes into "fmt ", the data size as long in "ds64".
      if chunk.id("fmt ") { byteRate = chunk.number(at: 16, bytes: 4) }
      if chunk.id("ds64") { longSize = chunk.number(at: 16, bytes: 8) }
      position += 8 + chunk.size + (chunk.size & 1)
    }
    return nil
  }
}

/// The first bytes of a chunk: its name, its size, and what stands at the head of its body.
private struct Chunk {
  private var bytes = [UInt8](repeating: 0, count: 24)

  /// Reads as much as there is; `false` when that is no chunk header.
  mutating func read(_ file: AudioFile, at position: Int64) -> Bool {
    bytes.withUnsafeMutableBytes { buffer in
      buffer.baseAddress.map { file.read($0, buffer.count, at: position) >= 8 } ?? false
    }
  }

  func id(_ name: StaticString) -> Bool {
    bytes.withUnsafeBytes { buffer in
      buffer.baseAddress.map { memcmp($0, name.utf8Start, 4) == 0 } ?? false
    }
  }

  var size: Int64 { number(at: 4, bytes: 4) }

  /// A little-endian number; one beyond the largest positive is taken as that.
  func number(at offset: Int, bytes count: Int) -> Int64 {
    var value: UInt64 = 0
    for index in (0..<count).reversed() { value = value << 8 | UInt64(bytes[offset + index]) }
    return Int64(clamping: value)
  }
}
