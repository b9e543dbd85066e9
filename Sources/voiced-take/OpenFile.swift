import Glibc

/// An open file of a take, written at known offsets.
///
/// Closed when it is released. Errors carry the path the file has at the time.
final class OpenFile {
  let descriptor: Int32
  private(set) var path: String

  init(descriptor: Int32, path: String) {
    self.descriptor = descriptor
    self.path = path
  }

  deinit { close(descriptor) }

  /// Bytes in the file.
  var size: UInt64 {
    var facts = stat()
    return fstat(descriptor, &facts) == 0 ? UInt64(max(0, facts.st_size)) : 0
  }

  /// Writes all bytes at `offset`, or throws; then some of them may be in the file.
  func write(_ bytes: UnsafeRawBufferPointer, at offset: UInt64) throws(TakeFailure) {
    var done = 0
    while done < bytes.count {
      let rest = UnsafeRawBufferPointer(rebasing: bytes[done...])
      let count = pwrite(descriptor, rest.baseAddress, rest.count, off_t(offset) + off_t(done))
      if count > 0 {
        done += count
      } else if count == 0 || errno != EINTR {
        throw TakeFailure("written", path, code: count == 0 ? ENOSPC : errno)
      }
    }
  }

  func write(_ bytes: [UInt8], at offset: UInt64) throws(TakeFailure) {
    // Typed throws do not pass through the closure of the standard library in every form.
    let result = bytes.withUnsafeBytes { raw in
      Result { () throws(TakeFailure) in try write(raw, at: offset) }
    }
    try result.get()
  }

  /// Up to `count` bytes at `offset`; fewer at the end of the file or when it cannot be read.
  func read(at offset: UInt64, count: Int) -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
      filled = read(at: offset, into: UnsafeMutableRawBufferPointer(buffer))
    }
  }

  /// Fills the buffer from `offset` on and returns the bytes read.
  func read(at offset: UInt64, into buffer: UnsafeMutableRawBufferPointer) -> Int {
    var done = 0
    guard offset <= UInt64(Int64.max) - UInt64(buffer.count) else { return 0 }
    while done < buffer.count {
      let rest = UnsafeMutableRawBufferPointer(rebasing: buffer[done...])
      let count = pread(descriptor, rest.baseAddress, rest.count, off_t(offset) + off_t(done))
      if count > 0 { done += count } else if count == 0 || errno != EINTR { break }
    }
    return done
  }

  func truncate(to size: UInt64) throws(TakeFailure) {
    guard ftruncate(descriptor, off_t(size)) == 0 else { throw TakeFailure("cut", path) }
  }

  /// Waits until the content, and what is needed to read it, is on the disk.
  func sync() throws(TakeFailure) {
    guard fdatasync(descriptor) == 0 else { throw TakeFailure("synced", path) }
  }

  /// Moves the file unless the name is taken, which gives `false`.
  ///
  /// A file whose own name is gone, because somebody deleted its folder, is copied instead.
  func move(to target: String) throws(TakeFailure) -> Bool {
    if link(path, target) == 0 {
      unlink(path)
    } else {
      switch errno {
      case EEXIST: return false
      case ENOENT where isNameless: return try copy(to: target)
      case EPERM, EOPNOTSUPP, EMLINK, ENOSYS:
        // A file system without hard links: look, then rename.
        var facts = stat()
        if lstat(target, &facts) == 0 { return false }
        guard rename(path, target) == 0 else { throw TakeFailure("moved to \(target)", path) }
      default: throw TakeFailure("moved to \(target)", path)
      }
    }
    path = target
    return true
  }

  private var isNameless: Bool {
    var facts = stat()
    return fstat(descriptor, &facts) == 0 && facts.st_nlink == 0
  }

  private func copy(to target: String) throws(TakeFailure) -> Bool {
    let part = target + ".part"
    let descriptor = open(part, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard descriptor >= 0 else { throw TakeFailure("made", part) }
    let copy = OpenFile(descriptor: descriptor, path: part)
    do throws(TakeFailure) {
      var done: UInt64 = 0
      while case let bytes = read(at: done, count: 1 << 20), !bytes.isEmpty {
        try copy.write(bytes, at: done)
        done += UInt64(bytes.count)
      }
      try copy.sync()
      guard try copy.move(to: target) else {
        copy.remove()
        return false
      }
    } catch {
      copy.remove()
      throw error
    }
    path = target
    return true
  }

  /// Deletes the name; nothing to do when it is gone already.
  func remove() { unlink(path) }
}
