import CLinux
import Glibc

/// A descriptor on an event loop.
///
/// Cancelling it is safe from inside any handler, also when events of it are already taken from
/// the kernel: they are not delivered.
package final class Watch {
  let descriptor: Int32
  let key: UInt64
  private weak var loop: EventLoop?
  private var handler: ((_ readable: Bool, _ writable: Bool) -> Void)?
  private var read = false
  private var write = false
  private var isRegistered = false

  init(
    loop: EventLoop, descriptor: Int32, key: UInt64,
    handler: @escaping (_ readable: Bool, _ writable: Bool) -> Void
  ) {
    self.loop = loop
    self.descriptor = descriptor
    self.key = key
    self.handler = handler
  }

  /// Changes what is wanted; with neither, the descriptor rests and even a hang-up is not told.
  ///
  /// When the kernel refuses, the loop stops with the reason in `fault`.
  package func update(read: Bool, write: Bool) {
    guard handler != nil, (read, write) != (self.read, self.write) else { return }
    do throws(IOError) { try register(read: read, write: write) } catch { loop?.fail(error) }
  }

  /// Ends the watch; the descriptor may be closed after.
  package func cancel() {
    guard handler != nil else { return }
    handler = nil
    if isRegistered { _ = loop?.control(EPOLL_CTL_DEL, self, mask: 0) }
    isRegistered = false
    loop?.forget(self)
  }

  /// Descriptors wanted for nothing leave the epoll: it would go on reporting a hang-up of theirs.
  func register(read: Bool, write: Bool) throws(IOError) {
    guard let loop else { return }
    let wanted = read || write
    if wanted || isRegistered {
      let operation =
        !wanted ? EPOLL_CTL_DEL : isRegistered ? EPOLL_CTL_MOD : EPOLL_CTL_ADD
      let mask = (read ? EPOLLIN.rawValue : 0) | (write ? EPOLLOUT.rawValue : 0)
      guard loop.control(operation, self, mask: mask) else {
        throw .last("watch descriptor \(descriptor)")
      }
    }
    isRegistered = wanted
    self.read = read
    self.write = write
  }

  func deliver(_ bits: UInt32) {
    let trouble = bits & (EPOLLERR.rawValue | EPOLLHUP.rawValue) != 0
    let readable = read && (trouble || bits & EPOLLIN.rawValue != 0)
    let writable = write && (trouble || bits & EPOLLOUT.rawValue != 0)
    if readable || writable { handler?(readable, writable) }
  }
}
