import CAV
import Glibc

/// A file that we opened, read by FFmpeg, which can open nothing itself.
final class CodecInput {
  private let file: OpenFile
  private let size: UInt64
  private var position: UInt64 = 0
  private(set) var context: UnsafeMutablePointer<AVIOContext>?

  init(_ file: OpenFile) throws(TakeFailure) {
    self.file = file
    size = file.size
    let buffer: Int32 = 131_072
    guard let memory = av_malloc(Int(buffer)) else {
      throw TakeFailure(codec: "read", code: -ENOMEM)
    }
    // Unretained: the context is freed before this object is.
    let me = Unmanaged.passUnretained(self).toOpaque()
    context = avio_alloc_context(
      memory.assumingMemoryBound(to: UInt8.self), buffer, 0, me,
      { me, bytes, count in
        guard let me, let bytes else { return -EINVAL }
        return Unmanaged<CodecInput>.fromOpaque(me).takeUnretainedValue().read(bytes, count)
      }, nil,
      { me, offset, whence in
        guard let me else { return Int64(-EINVAL) }
        return Unmanaged<CodecInput>.fromOpaque(me).takeUnretainedValue().seek(offset, whence)
      })
    if context == nil {
      av_free(memory)
      throw TakeFailure(codec: "read", code: -ENOMEM)
    }
  }

  deinit {
    if let context {
      av_free(context.pointee.buffer)
      avio_context_free(&self.context)
    }
  }

  private func read(_ bytes: UnsafeMutablePointer<UInt8>, _ count: Int32) -> Int32 {
    let target = UnsafeMutableRawBufferPointer(start: bytes, count: Int(count))
    let done = file.read(at: position, into: target)
    position += UInt64(done)
    return done == 0 ? CodecSink.endOfStream : Int32(done)
  }

  private func seek(_ offset: Int64, _ whence: Int32) -> Int64 {
    switch whence {
    case AVSEEK_SIZE: return Int64(size)
    case SEEK_SET where offset >= 0: position = UInt64(offset)
    default: return Int64(-EINVAL)
    }
    return offset
  }
}
