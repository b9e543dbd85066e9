import CAV

/// What the demuxer sees of the world: one descriptor, and nothing that could open a second one.
final class FileIO {
  let file: AudioFile
  /// Set from another thread to make the next read fail, so that a long search in the file ends.
  private let quit: UnsafePointer<StopFlag>?
  private var position: Int64 = 0
  private(set) var context: UnsafeMutablePointer<AVIOContext>?
  /// Set when the file system, not the file, was the reason for an early end.
  private(set) var readError: Int32 = 0

  /// Bytes of a read: large enough that a disk is asked some ten times a minute for a compressed file.
  private static let bufferSize: Int32 = 32_768

  /// `context` is `nil` when memory is short.
  init(_ file: AudioFile, quit: UnsafePointer<StopFlag>?) {
    self.file = file
    self.quit = quit
    let buffer = av_malloc(Int(Self.bufferSize))
    context = avio_alloc_context(
      buffer?.assumingMemoryBound(to: UInt8.self), Self.bufferSize, 0,
      Unmanaged.passUnretained(self).toOpaque(), fileRead, nil, fileSeek)
    if context == nil { av_free(buffer) }
  }

  deinit {
    // The library may have replaced the buffer by one of another size.
    if let context { av_free(context.pointee.buffer) }
    avio_context_free(&context)
  }

  fileprivate func read(_ buffer: UnsafeMutablePointer<UInt8>, _ count: Int32) -> Int32 {
    if let quit, quit.pointee.isSet { return AVFailure.exit }
    let got = file.read(buffer, Int(count), at: file.head + position)
    if got < 0 {
      readError = Int32(-got)
      return Int32(got)
    }
    position += Int64(got)
    return got == 0 ? AVFailure.end : Int32(got)
  }

  fileprivate func seek(_ offset: Int64, _ whence: Int32) -> Int64 {
    let length = max(file.size - file.head, 0)
    let base: Int64
    switch whence & ~AVSEEK_FORCE {
    case AVSEEK_SIZE: return length
    case SEEK_SET: base = 0
    case SEEK_CUR: base = position
    case SEEK_END: base = length
    default: return Int64(-EINVAL)
    }
    let (target, overflow) = base.addingReportingOverflow(offset)
    guard !overflow, target >= 0, target <= Int64.max - file.head else { return Int64(-EINVAL) }
    position = target
    return target
  }
}

private func fileRead(
  _ opaque: UnsafeMutableRawPointer?, _ buffer: UnsafeMutablePointer<UInt8>?, _ count: Int32
) -> Int32 {
  guard let opaque, let buffer else { return -EINVAL }
  return Unmanaged<FileIO>.fromOpaque(opaque).takeUnretainedValue().read(buffer, count)
}

private func fileSeek(
  _ opaque: UnsafeMutableRawPointer?, _ offset: Int64, _ whence: Int32
) -> Int64 {
  guard let opaque else { return Int64(-EINVAL) }
  return Unmanaged<FileIO>.fromOpaque(opaque).takeUnretainedValue().seek(offset, whence)
}
