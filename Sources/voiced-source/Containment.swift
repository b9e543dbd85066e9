import CLinux
import Glibc

/// What this process gives up before it lets foreign code in.
///
/// The plugin is not held against a determined attacker: it runs as the user. It is kept from
/// harming the daemon and the desktop by mistake.
enum Containment {
  /// Bytes of private memory.
  ///
  /// FFmpeg's libraries take 31 MB here and a PipeWire stream 19 MB; material with large tags or
  /// many channels some tens more. What goes far beyond that leaks.
  static let memory: UInt = 256 << 20

  /// Applies all of it; descriptors above `last` are closed.
  static func apply(keepingDescriptorsUpTo last: Int32) {
    // A parent that died before this line leaves a closed control socket, which ends us as well.
    let parent = getppid()
    _ = clinux_prctl(PR_SET_PDEATHSIG, UInt(SIGKILL))
    if getppid() != parent { exit(EX_OSERR) }
    _ = clinux_prctl(PR_SET_NO_NEW_PRIVS, 1)
    _ = clinux_close_range(UInt32(last + 1), .max, 0)

    // A sanitizer maps many terabytes as its own, and has its own limits.
    if dlsym(nil, "__asan_init") == nil, dlsym(nil, "__tsan_init") == nil {
      var data = rlimit(rlim_cur: memory, rlim_max: memory)
      setrlimit(__rlimit_resource_t(RLIMIT_DATA.rawValue), &data)
    }
    var core = rlimit(rlim_cur: 0, rlim_max: 0)
    setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &core)

    // A fault ends the process at once: nobody waits for a backtrace.
    for number in [SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV] { signal(number, SIG_DFL) }
    signal(SIGPIPE, SIG_IGN)
    // Whatever a plugin prints must not get into data that somebody reads.
    dup2(STDERR_FILENO, STDOUT_FILENO)
  }
}
