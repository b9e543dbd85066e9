import Glibc
import VoiceIO

/// The keys that are typed, where standard input is a terminal that this program may read.
final class Keyboard {
  private var watch: Watch?
  private let onKey: (UInt8) -> Void

  /// - Parameter onKey: hears every key, until `close`.
  init(_ loop: EventLoop, onKey: @escaping (UInt8) -> Void) {
    self.onKey = onKey
    // A program in the background would be stopped for reading; of another session's terminal none is.
    let foreground = tcgetpgrp(STDIN_FILENO)
    guard isatty(STDIN_FILENO) == 1, foreground < 0 || foreground == getpgrp() else { return }
    watch = try? loop.watch(STDIN_FILENO, read: true, write: false) { [weak self] _, _ in
      self?.read()
    }
  }

  func close() {
    watch?.cancel()
    watch = nil
  }

  private func read() {
    var bytes = [UInt8](repeating: 0, count: 64)
    let count = Glibc.read(STDIN_FILENO, &bytes, bytes.count)
    if count > 0 {
      for byte in bytes[..<count] { onKey(byte) }
    } else if count == 0 || errno != EINTR {
      close()
    }
  }
}
