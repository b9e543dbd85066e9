import Glibc
import VoiceCore

/// Gives take numbers, none twice, also across restarts.
///
/// The last number is written before it is used. When the folder cannot be written, numbers still
/// rise for the life of the daemon; the take itself then ends with FolderUnusable.
final class TakeCounter {
  private let folder: StateFolder
  private var last: UInt32

  /// `kept` is the highest number found among kept takes, in case the counter's file was lost.
  init(folder: StateFolder, kept: UInt32) {
    self.folder = folder
    let written = folder.text(of: folder.counter)?.split(separator: "\n").first.flatMap {
      UInt32($0)
    }
    last = max(written ?? 0, kept)
  }

  func next() -> UInt32 {
    last = last == .max ? 1 : last + 1
    folder.write("\(last)\n", to: folder.counter)
    return last
  }
}
