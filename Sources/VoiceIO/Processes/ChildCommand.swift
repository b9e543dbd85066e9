import CLinux
import Glibc

/// What to start as a child, and with what.
///
/// A child gets a process group of its own, an empty signal mask, default signals, `/dev/null` as
/// its standard input, this process's standard output and error, the descriptors given here, and
/// no other descriptor.
package struct ChildCommand {
  /// A path, or a name to find in `PATH`.
  package var path: String
  /// Arguments after the program's own name.
  package var arguments: [String]
  /// Descriptors to hand over and their numbers in the child, which may be 0, 1 or 2 too.
  package var descriptors: [(parent: Int32, child: Int32)]
  /// The child's whole environment.
  package var environment: [String: String]

  package init(
    path: String, arguments: [String] = [], descriptors: [(parent: Int32, child: Int32)] = [],
    environment: [String: String] = ProcessEnvironment.all
  ) {
    self.path = path
    self.arguments = arguments
    self.descriptors = descriptors
    self.environment = environment
  }

  /// Starts it; returns its pid, which the caller has to reap.
  package func spawn() throws(IOError) -> Int32 {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    let copies = try addDescriptors(to: &actions)
    defer { for copy in copies { close(copy) } }

    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var signals = sigset_t()
    sigemptyset(&signals)
    posix_spawnattr_setsigmask(&attributes, &signals)
    sigfillset(&signals)
    posix_spawnattr_setsigdefault(&attributes, &signals)
    posix_spawnattr_setpgroup(&attributes, 0)
    let flags = POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP
    posix_spawnattr_setflags(&attributes, Int16(flags))

    var pid: pid_t = 0
    let code = withVector([path] + arguments) { arguments in
      withVector(environment.map { "\($0.key)=\($0.value)" }) { environment in
        posix_spawnp(&pid, path, &actions, &attributes, arguments, environment)
      }
    }
    if code != 0 { throw IOError(operation: "start \(path)", code: code) }
    return pid
  }

  /// Arranges the descriptors; returns copies to close once the child runs.
  ///
  /// A descriptor's number here may be the number another one has in the child, so all are first
  /// copied to numbers above every number the child knows.
  private func addDescriptors(
    to actions: inout posix_spawn_file_actions_t
  ) throws(IOError) -> [Int32] {
    let top = max(2, descriptors.map(\.child).max() ?? 2)
    var copies: [Int32] = []
    for descriptor in descriptors {
      let copy = fcntl(descriptor.parent, F_DUPFD_CLOEXEC, top + 1)
      guard copy >= 0 else {
        let error = IOError.last("copy descriptor \(descriptor.parent) for \(path)")
        for copy in copies { close(copy) }
        throw error
      }
      copies.append(copy)
    }
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
    for (copy, descriptor) in zip(copies, descriptors) {
      posix_spawn_file_actions_adddup2(&actions, copy, descriptor.child)
    }
    for number in 3..<(top + 1) where !descriptors.contains(where: { $0.child == number }) {
      posix_spawn_file_actions_addclose(&actions, number)
    }
    clinux_spawn_closefrom(&actions, top + 1)
    return copies
  }

  private func withVector<R>(
    _ texts: [String], _ body: ([UnsafeMutablePointer<CChar>?]) -> R
  ) -> R {
    let vector = texts.map { strdup($0) }
    defer { for text in vector { free(text) } }
    return body(vector + [nil])
  }
}
