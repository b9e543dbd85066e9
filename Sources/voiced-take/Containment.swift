import CLinux
import Glibc

/// What this process gives up before it reads anything from outside.
enum Containment {
  /// Everything it makes is private to the user; nothing it starts could gain rights; what it was not
  /// meant to inherit is closed; its end is the control socket's, not a signal's.
  static func enter(keeping lastDescriptor: UInt32) {
    umask(0o077)
    _ = clinux_prctl(Int32(PR_SET_NO_NEW_PRIVS), 1)
    _ = clinux_close_range(lastDescriptor + 1, UInt32.max, 0)
    for signal in [SIGPIPE, SIGTERM, SIGINT, SIGHUP] { Glibc.signal(signal, SIG_IGN) }
  }
}
