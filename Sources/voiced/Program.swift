import CLinux
import Glibc
import VoiceCore
import VoiceDaemon
import VoiceIO

@main
struct Program {
  static func main() {
    switch CommandLine.arguments.dropFirst().first {
    case nil: run()
    case "--version": print("voiced \(WireNames.daemonVersion)")
    case "--help": print(usage)
    default:
      log("it takes no such argument; --help says what there is")
      exit(2)
    }
  }

  private static let usage = """
    voiced: owns the microphone and tells the desktop how loud the voice is.

    Runs on the session bus as org.voiced.Voiced1 until it is told to end. It is
    started by the bus when somebody calls it; "vctl" is its command line.

      --version   print the version
      --help      print this

    Exit status: 0 told to end, 1 the session bus is gone or not to be had, 2 usage.
    """

  /// The usual 1024 are for programs that use select().
  private static func raiseDescriptorLimit() {
    let kind = __rlimit_resource_t(UInt32(RLIMIT_NOFILE.rawValue))
    var limit = rlimit()
    guard getrlimit(kind, &limit) == 0 else { return }
    limit.rlim_cur = min(limit.rlim_max, 8192)
    setrlimit(kind, &limit)
  }

  private static func run() {
    for number in [SIGPIPE, SIGXFSZ] { signal(number, SIG_IGN) }
    raiseDescriptorLimit()
    umask(0o077)
    do {
      let loop = try EventLoop()
      let daemon = try Daemon(loop: loop, programs: ProgramFolder())
      let status = withExtendedLifetime(daemon) { loop.run() }
      exit(status)
    } catch let failure as BusFailure {
      log(failure.text)
    } catch let error as IOError {
      log(error.text)
    } catch {
      log("\(error)")
    }
    exit(1)
  }
}
