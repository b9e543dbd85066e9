import CLinux
import Glibc

/// Signals as events of a loop, instead of handlers that interrupt it.
///
/// They stay blocked in the thread's mask after this is gone. In a program with several threads
/// make it before the others start, or they may take the signals.
package final class Signals {
  private let descriptor: Int32
  private var watch: Watch?
  private let handler: (Int32) -> Void

  /// Blocks these signals and tells `handler` the number of each that comes.
  package init(
    loop: EventLoop, _ numbers: [Int32], handler: @escaping (Int32) -> Void
  ) throws(IOError) {
    var set = Self.block(numbers)
    self.handler = handler
    descriptor = signalfd(-1, &set, Int32(SFD_CLOEXEC) | Int32(SFD_NONBLOCK))
    if descriptor < 0 { throw .last("make a signalfd") }
    watch = try loop.watch(descriptor, read: true, write: false) { [weak self] _, _ in
      self?.read()
    }
  }

  /// Blocks these signals, so that they wait for a `Signals` that is made later.
  package static func hold(_ numbers: [Int32]) { _ = block(numbers) }

  private static func block(_ numbers: [Int32]) -> sigset_t {
    var set = sigset_t()
    sigemptyset(&set)
    for number in numbers { sigaddset(&set, number) }
    pthread_sigmask(SIG_BLOCK, &set, nil)
    return set
  }

  deinit {
    watch?.cancel()
    if descriptor >= 0 { close(descriptor) }
  }

  private func read() {
    var info = signalfd_siginfo()
    let size = MemoryLayout<signalfd_siginfo>.size
    while Glibc.read(descriptor, &info, size) == size { handler(Int32(info.ssi_signo)) }
  }
}
