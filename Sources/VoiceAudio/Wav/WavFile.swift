/// Where the sound of a WAV file lies: facts read from its chunks, of which none is trusted.
///
/// Sizes that a crash, a stream or four gigabytes made wrong are put right from the file's own
/// length, so that what is there can be read, no more and no less.
package struct WavFile: Equatable, Sendable {
  /// How the sizes in the header fit the file.
  package enum Condition: Equatable, Sendable {
    case whole
    /// The header promises more than the file holds.
    case truncated
    /// The header was never finished; the length is the file's.
    case recovered
  }

  package let format: WavFormat
  /// Offset of the first frame in the file, in bytes.
  package let start: UInt64
  /// Whole frames in the file; a partial last frame is not counted.
  package let frames: UInt64
  package let condition: Condition

  /// Seconds.
  package var duration: Double { Double(frames) / Double(format.rate) }

  /// Reads the chunks of a file of `size` bytes.
  ///
  /// `read` gives up to so many bytes at an offset, fewer at the end or on an error. With `toEnd`
  /// everything after the `data` chunk's head is sound, whatever its size says: for a spool, whose
  /// `data` is always last and whose size may be a second old.
  package init(
    size: UInt64, toEnd: Bool = false,
    read: @escaping (_ offset: UInt64, _ count: Int) -> [UInt8]
  ) throws(WavFault) {
    var walk = try WavWalk(size: size, read: read)
    let (format, data) = try walk.formatAndData()
    let room = size > data.start ? size - data.start : 0
    var bytes = min(data.claimed, room)
    var condition = data.claimed > room ? Condition.truncated : .whole
    if toEnd {
      condition = room == data.claimed ? .whole : .recovered
      bytes = room
    } else if data.claimed == 0 || data.claimed == UInt64(UInt32.max) {
      // Never finished, or meant to be endless; an empty chunk that others follow is just empty.
      if room > 0, data.claimed > 0 || !walk.chunksReachEnd(from: data.start) {
        condition = .recovered
        bytes = room
      }
    } else if !walk.isLong, size > UInt64(UInt32.max), data.claimed != room {
      // Too long for its 32 bits: whatever they say is a remainder.
      condition = .recovered
      bytes = room
    }
    let frame = UInt64(format.frameBytes)
    if bytes % frame != 0, condition == .whole { condition = .truncated }
    self.format = format
    self.start = data.start
    self.frames = bytes / frame
    self.condition = condition
  }
}

/// A walk over the chunks of a RIFF or RF64 file.
private struct WavWalk {
  let size: UInt64
  let read: (UInt64, Int) -> [UInt8]
  /// RF64 or BW64: 64-bit sizes stand in a `ds64` chunk.
  let isLong: Bool

  /// A chunk's head: what follows it is `claimed` bytes from `start`.
  struct Chunk {
    var name: [UInt8]
    var claimed: UInt64
    var start: UInt64
  }

  /// A file of more chunks than this is damaged or hostile.
  private static let mostChunks = 4096
  private static let known: [[UInt8]] = [
    "fmt ", "data", "fact", "LIST", "JUNK", "junk", "PAD ", "ds64", "bext", "id3 ", "ID3 ", "PEAK",
    "cue ", "smpl", "inst", "iXML", "axml", "chna", "FLLR", "cart", "plst", "note", "labl", "afsp",
  ].map { Array($0.utf8) }

  init(size: UInt64, read: @escaping (UInt64, Int) -> [UInt8]) throws(WavFault) {
    let head = read(0, 12)
    let form = Array(head.prefix(4))
    isLong = form == Array("RF64".utf8) || form == Array("BW64".utf8)
    guard isLong || form == Array("RIFF".utf8) else { throw .notWav }
    guard head.count == 12 else { throw .cutHeader }
    guard Array(head[8..<12]) == Array("WAVE".utf8) else { throw .notWav }
    self.size = size
    self.read = read
  }

  /// The first `fmt ` and the first `data` chunk, in either order.
  mutating func formatAndData() throws(WavFault) -> (WavFormat, Chunk) {
    var format: WavFormat?
    var data: Chunk?
    var longData: UInt64?
    var offset: UInt64 = 12
    for _ in 0..<Self.mostChunks {
      guard var chunk = chunk(at: offset) else { break }
      switch String(decoding: chunk.name, as: UTF8.self) {
      case "fmt " where format == nil:
        format = try WavFormat(chunk: read(chunk.start, Int(min(chunk.claimed, 64))))
      case "ds64" where isLong:
        longData = UInt64(littleEndian: read(chunk.start, 16), at: 8)
      case "data" where data == nil:
        if isLong, chunk.claimed == UInt64(UInt32.max), let longData { chunk.claimed = longData }
        data = chunk
      default: break
      }
      if let format, let data { return (format, data) }
      guard let next = next(after: chunk) else { break }
      offset = next
    }
    throw size < 20 ? .cutHeader : format == nil ? .noFormat : .noData
  }

  private func chunk(at offset: UInt64) -> Chunk? {
    guard offset < size, size - offset >= 8 else { return nil }
    let head = read(offset, 8)
    guard head.count == 8 else { return nil }
    return Chunk(
      name: Array(head[0..<4]), claimed: UInt64(UInt32(littleEndian: head, at: 4)),
      start: offset + 8)
  }

  /// Where the next chunk begins: after the padding byte of an odd one, if its writer put one.
  private func next(after chunk: Chunk) -> UInt64? {
    let (end, overflow) = chunk.start.addingReportingOverflow(chunk.claimed)
    guard !overflow, end < size else { return nil }
    guard chunk.claimed % 2 == 1 else { return end }
    if let padded = self.chunk(at: end + 1), Self.known.contains(padded.name) { return end + 1 }
    if let plain = self.chunk(at: end), Self.known.contains(plain.name) { return end }
    return end + 1
  }

  /// Whether what begins here is a chain of chunks that ends exactly at the end of the file.
  func chunksReachEnd(from start: UInt64) -> Bool {
    var offset = start
    for _ in 0..<Self.mostChunks {
      if offset == size { return true }
      guard let chunk = chunk(at: offset), chunk.name.allSatisfy({ (32..<127).contains($0) })
      else { return false }
      let (end, overflow) = chunk.start.addingReportingOverflow(chunk.claimed)
      guard !overflow, end <= size else { return false }
      offset = end == size ? end : end + chunk.claimed % 2
    }
    return false
  }
}
