import CLinux
import Glibc

/// What this process gives up before it reads anything from outside.
enum Containment {
  /// Everything it makes is private to the user, nothing it starts could gain rights, and what it was
  /// not meant to inherit is closed.
  static func enter(keeping lastDescriptor: UInt32) {
    umask(0o077)
    _ = clinux_prctl(Int32(PR_SET_NO_NEW_PRIVS), 1)
    _ = clinux_close_range(lastDescriptor + 1, UInt32.max, 0)
    signal(SIGPIPE, SIG_IGN)
    // A file that reaches a limit on its size is a full disk, told by name.
    signal(SIGXFSZ, SIG_IGN)
  }

  /// A take ends when its daemon says so or is gone, not at a signal to the process group.
  static func ignoreEndings() {
    for ending in [SIGTERM, SIGINT, SIGHUP] { signal(ending, SIG_IGN) }
  }
}
