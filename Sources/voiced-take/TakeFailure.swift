import CAV
import Glibc
import VoiceCore

/// Why a recording cannot go on: an error of the wire contract, and what was wrong this time.
struct TakeFailure: Error, Equatable {
  let error: VoicedError
  /// For a person; what to do about it the error itself says.
  let text: String

  init(_ error: VoicedError, _ text: String) {
    self.error = error
    self.text = text
  }

  /// The failure of a system call on a file or folder of a recording; `code` is its errno.
  init(_ operation: String, _ path: String, code: Int32 = errno) {
    let isFull = code == ENOSPC || code == EDQUOT || code == EFBIG
    let reason = String(cString: strerror(code))
    self.init(isFull ? .diskFull : .folderUnusable, "\(path) could not be \(operation): \(reason)")
  }

  /// The failure of an FFmpeg call; `code` is its negative result.
  init(codec operation: String, code: Int32) {
    var buffer = [CChar](repeating: 0, count: 128)
    av_strerror(code, &buffer, buffer.count)
    let reason = buffer.withUnsafeBufferPointer { $0.baseAddress.map { String(cString: $0) } ?? "" }
    self.init(.sourceFailed, "the sound could not be \(operation): \(reason)")
  }

  var report: TakeReport { .failed(error: error.rawValue, text: text) }

  /// The exit status of a command that ends with it.
  var status: Int32 {
    switch error {
    case .invalidValue: 2
    case .noSuchTarget, .noSuchTake: 3
    case .notAudio: 4
    default: 1
    }
  }
}
