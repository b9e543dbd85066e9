import CAV

/// How the data size in a WAV header compares with the bytes that are there.
///
/// The libraries play what there is and say nothing of it.
enum WAVClaim {
  case holds
  /// The file ends this many seconds before its header says.
  case lacks(seconds: Double)
  /// The header was never finished: its size is 0, or all ones.
  case open

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
        let present = file.size - position - 8
        self.init(size: chunk.size, longSize: longSize, present: present, byteRate: byteRate)
        return
      }
      // Bytes a second stand 8 bytes into "fmt ", the data size as long in "ds64".
      if chunk.id("fmt ") { byteRate = chunk.number(at: 16, bytes: 4) }
      if chunk.id("ds64") { longSize = chunk.number(at: 16, bytes: 8) }
      position += 8 + chunk.size + (chunk.size & 1)
    }
    return nil
  }

  private init(size: Int64, longSize: Int64?, present: Int64, byteRate: Int64) {
    let isUnknown = size == Int64(UInt32.max)
    let claimed = isUnknown ? longSize ?? 0 : size
    if claimed == 0, present > 0 {
      self = .open
    } else if claimed > present {
      self = .lacks(seconds: Double(claimed - present) / Double(max(byteRate, 1)))
    } else {
      self = .holds
    }
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
