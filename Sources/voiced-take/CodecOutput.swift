import CAV
import Glibc

/// FFmpeg's output written to a file that we opened, so that it opens none itself.
final class CodecOutput {
  private let file: OpenFile
  /// Where in the file the next byte goes.
  private(set) var position: UInt64 = 0
  /// What FFmpeg writes below this place is in the file already, as it is.
  var presentEnd: UInt64 = 0
  /// The first write that failed: FFmpeg passes on only a number.
  private(set) var failure: TakeFailure?
  private(set) var context: UnsafeMutablePointer<AVIOContext>?

  init(_ file: OpenFile) throws(TakeFailure) {
    self.file = file
    let size: Int32 = 32_768
    guard let memory = av_malloc(Int(size)) else {
      throw TakeFailure(codec: "written", code: -ENOMEM)
    }
    // Unretained: the context is freed before this object is.
    let me = Unmanaged.passUnretained(self).toOpaque()
    context = avio_alloc_context(
      memory.assumingMemoryBound(to: UInt8.self), size, 1, me, nil,
      { me, bytes, count in
        guard let me, let bytes else { return -EINVAL }
        return Unmanaged<CodecOutput>.fromOpaque(me).takeUnretainedValue().write(bytes, count)
      },
      { me, offset, whence in
        guard let me else { return Int64(-EINVAL) }
        return Unmanaged<CodecOutput>.fromOpaque(me).takeUnretainedValue().seek(offset, whence)
      })
    if context == nil {
      av_free(memory)
      throw TakeFailure(codec: "written", code: -ENOMEM)
    }
  }

  deinit {
    if let context {
      av_free(context.pointee.buffer)
      avio_context_free(&self.context)
    }
  }

  private func write(_ bytes: UnsafePointer<UInt8>, _ count: Int32) -> Int32 {
    guard failure == nil else { return -EIO }
    let all = UnsafeRawBufferPointer(start: bytes, count: Int(count))
    let present = presentEnd > position ? min(all.count, Int(presentEnd - position)) : 0
    do throws(TakeFailure) {
      let rest = UnsafeRawBufferPointer(rebasing: all[present...])
      try file.write(rest, at: position + UInt64(present))
    } catch {
      failure = error
      return -EIO
    }
    position += UInt64(count)
    return count
  }

  private func seek(_ offset: Int64, _ whence: Int32) -> Int64 {
    switch whence {
    case AVSEEK_SIZE: return Int64(file.size)
    case SEEK_SET where offset >= 0: position = UInt64(offset)
    default: return Int64(-EINVAL)
    }
    return offset
  }
}
