import Glibc
import VoiceAudio

/// The sound of a running take on disk: a WAV file that is valid at every moment.
///
/// 32-bit float, mono, 48 kHz, so that every format can be made from it. The header never promises
/// more than is there; past four gigabytes it becomes RF64 in place. The file is locked (`flock`) while
/// its process lives, so that nobody recovers a take that is still running.
final class Spool {
  static let header = WavHeader(
    format: WavFormat(encoding: .float32, rate: 48_000), grows: true)

  let file: OpenFile
  /// Frames that are in the file and in its header.
  private(set) var frames: UInt64 = 0

  init(_ folder: StateFolder, take: UInt32) throws(TakeFailure) {
    file = try folder.create(.spool, take: take, suffix: ".wav")
    flock(file.descriptor, LOCK_EX | LOCK_NB)
    do throws(TakeFailure) {
      try file.write(Self.header.bytes(frames: 0), at: 0)
    } catch {
      file.remove()
      throw error
    }
  }

  /// Appends frames and brings the header up to date.
  ///
  /// On an error the file is cut back to whole frames with what fitted, and stays valid.
  func append(_ chunk: [Float], count: Int) throws(TakeFailure) {
    let start = UInt64(Self.header.length)
    let offset = start + frames * 4
    let result = chunk.withUnsafeBytes { raw in
      Result { () throws(TakeFailure) in
        try file.write(UnsafeRawBufferPointer(rebasing: raw[..<(count * 4)]), at: offset)
      }
    }
    switch result {
    case .success: frames += UInt64(count)
    case .failure(let failure):
      frames = max(frames, (max(file.size, start) - start) / 4)
      try? close(at: frames)
      throw failure
    }
    try file.write(Self.header.bytes(frames: frames), at: 0)
  }

  /// Reads frames from `first` on, up to `end` and what the buffer takes; their number, 0 on an error.
  func read(from first: UInt64, upTo end: UInt64, into buffer: inout [Float]) -> Int {
    let end = min(end, frames)
    guard first < end else { return 0 }
    let count = Int(min(UInt64(buffer.count), end - first))
    let offset = UInt64(Self.header.length) + first * 4
    return buffer.withUnsafeMutableBytes { raw in
      file.read(at: offset, into: UnsafeMutableRawBufferPointer(rebasing: raw[..<(count * 4)])) / 4
    }
  }

  /// Ends the file after so many frames, exactly.
  func close(at frames: UInt64) throws(TakeFailure) {
    self.frames = min(self.frames, frames)
    try file.write(Self.header.bytes(frames: self.frames), at: 0)
    try file.truncate(to: UInt64(Self.header.length) + self.frames * 4)
  }
}
