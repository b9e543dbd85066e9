import CAV

/// Whether an Ogg file ends as its writer meant it to: with a whole page that is marked as the last.
enum OggEnd {
  /// Longest page: a header of 27 bytes, 255 segment lengths and as many segments of 255 bytes.
  private static let longestPage = 27 + 255 + 255 * 255

  static func isMarked(in file: AudioFile) -> Bool {
    let length = Int(min(Int64(longestPage), file.size - file.head))
    let tail = UnsafeMutablePointer<UInt8>.allocate(capacity: longestPage)
    defer { tail.deallocate() }
    guard length >= 27, file.read(tail, length, at: file.size - Int64(length)) == length else {
      return false
    }
    var page = length - 27
    while page >= 0 {
      if memcmp(tail + page, "OggS", 4) == 0, tail[page + 4] == 0 {
        return tail[page + 5] & 4 != 0 && isWhole(tail + page, length - page)
      }
      page -= 1
    }
    return false
  }

  private static func isWhole(_ page: UnsafePointer<UInt8>, _ length: Int) -> Bool {
    let segments = Int(page[26])
    guard length >= 27 + segments else { return false }
    var size = 27 + segments
    for index in 0..<segments { size += Int(page[27 + index]) }
    return size <= length
  }
}
