import CAV

/// The one descriptor a playback reads from, opened by path once.
///
/// Reads are by position, so any number of passes over the file share it. Used by the main thread while
/// a source starts, afterwards by its decoder thread alone.
final class AudioFile {
  let descriptor: Int32
  /// Bytes of the whole file when it was opened.
  let size: Int64
  /// First byte after the ID3v2 tags, which may hold megabytes of cover art.
  let head: Int64

  /// Opens a regular file for reading; anything else at that path is refused without waiting for it.
  ///
  /// A function, because an initialiser of a class that throws leaks the half-made object in Embedded
  /// Swift.
  static func open(path: UnsafePointer<CChar>) throws(Refusal) -> AudioFile {
    let name = String(cString: path)
    guard path.pointee == CChar(bitPattern: UInt8(ascii: "/")) else {
      throw Refusal(
        cause: .missing(ENOENT), text: "the file source needs an absolute path, not '\(name)'")
    }
    // Not blocking: a FIFO would wait for its writer here.
    let descriptor = cav_open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY)
    guard descriptor >= 0 else { throw refusal(lastError, name) }
    var facts = stat()
    guard fstat(descriptor, &facts) == 0, facts.st_mode & UInt32(S_IFMT) == UInt32(S_IFREG) else {
      close(descriptor)
      throw .notAudio("\(name) is not a regular file")
    }
    return AudioFile(descriptor: descriptor, size: Int64(facts.st_size))
  }

  private init(descriptor: Int32, size: Int64) {
    self.descriptor = descriptor
    self.size = size
    head = Self.endOfTags(descriptor, size)
  }

  deinit { close(descriptor) }

  private static func refusal(_ code: Int32, _ name: String) -> Refusal {
    switch code {
    case EACCES, EPERM:
      Refusal(cause: .missing(EACCES), text: "\(name) may not be read: check its permissions")
    case EMFILE, ENFILE, ENOMEM, EIO:
      Refusal(cause: .resource(code), text: "\(name) cannot be opened: error \(code)")
    case ENXIO, ENODEV: .notAudio("\(name) is not a regular file")
    default: Refusal(cause: .missing(ENOENT), text: "\(name) does not exist")
    }
  }

  /// Reads up to `count` bytes at a position of the whole file: bytes read, 0 at the end, or -errno.
  func read(_ buffer: UnsafeMutableRawPointer, _ count: Int, at position: Int64) -> Int {
    Self.read(descriptor, buffer, count, at: position)
  }

  private static func read(
    _ descriptor: Int32, _ buffer: UnsafeMutableRawPointer, _ count: Int, at position: Int64
  ) -> Int {
    while true {
      let got = pread(descriptor, buffer, count, off_t(position))
      if got >= 0 { return got }
      if lastError != EINTR { return -Int(lastError) }
    }
  }

  /// Skips every ID3v2 tag by the size it tells; one that reaches past the end of the file is not believed.
  private static func endOfTags(_ descriptor: Int32, _ size: Int64) -> Int64 {
    var position: Int64 = 0
    return withUnsafeTemporaryAllocation(byteCount: 10, alignment: 1) { header -> Int64 in
      guard let bytes = header.baseAddress else { return 0 }
      while read(descriptor, bytes, 10, at: position) == 10, let length = tagLength(header),
        position + length < size
      {
        position += length
      }
      return position
    }
  }

  /// Bytes of the tag that begins with this header (10 for itself, 10 more for a footer); `nil` for no tag.
  private static func tagLength(_ header: UnsafeMutableRawBufferPointer) -> Int64? {
    guard header[0] == UInt8(ascii: "I"), header[1] == UInt8(ascii: "D"),
      header[2] == UInt8(ascii: "3"), header[3] != 0xFF, header[4] != 0xFF
    else { return nil }
    var length: Int64 = 0
    for byte in header[6...9] {
      guard byte < 0x80 else { return nil }
      length = length << 7 | Int64(byte)
    }
    return 10 + length + (header[5] & 0x10 != 0 ? 10 : 0)
  }
}
