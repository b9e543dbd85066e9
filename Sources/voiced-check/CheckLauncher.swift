import CCheck
import CLinux
import Glibc
import VoiceIO

/// Prepares the processes of checks: this program itself, with memory to leave a verdict in.
struct CheckLauncher {
  private let program: String
  private let path: String
  private let options: Options

  init(path: String, options: Options) throws(IOError) {
    guard let program = realpath("/proc/self/exe", nil) else { throw .last("find this program") }
    self.program = String(cString: program)
    free(program)
    self.path = path
    self.options = options
  }

  /// The command for a check, and what it will leave behind.
  func prepare(_ name: String, id: String) throws(IOError) -> CheckLaunch {
    // Standard output is a file nobody reads but the check itself, which asks for its size.
    let page = try SharedMemory(bytes: Int(CHECK_PAGE_BYTES))
    let output = try SharedMemory(bytes: 0)
    var arguments = ["--run", name, path, "--id", id]
    if let target = options.target { arguments += ["--target", target] }
    var environment = ProcessEnvironment.all
    // A crash is an answer here; a trace of it would take seconds.
    environment["SWIFT_BACKTRACE"] = "enable=no"
    let silence = try SharedMemory(bytes: 0)
    let errors = options.only.isEmpty ? silence.descriptor : 2
    let command = ChildCommand(
      path: program, arguments: arguments,
      descriptors: [
        (output.descriptor, 1), (errors, 2), (page.descriptor, Runner.pageDescriptor),
      ], environment: environment)
    return CheckLaunch(command: command, page: page, kept: [output, silence])
  }
}

/// One process of a check, before and after it ran.
struct CheckLaunch {
  let command: ChildCommand
  let page: SharedMemory
  let kept: [SharedMemory]

  /// What the page says, or how the process ended before it said anything.
  func finding(_ status: ExitStatus) -> Finding {
    let (verdict, text, place) = left
    if let verdict, status.isSuccess { return Finding(verdict: verdict, text: text) }
    return Finding(verdict: .crash, text: "The process \(status.text), \(place).")
  }

  func late(after deadline: Double) -> Finding {
    .fail("Not done after \(Int(deadline)) s, \(left.place).")
  }

  private var left: (verdict: Verdict?, text: String, place: String) {
    var left = check_page()
    let size = MemoryLayout<check_page>.size
    guard pread(page.descriptor, &left, size, 0) == size else { return (nil, "", "lost") }
    let call = text(&left.call)
    let place = call.isEmpty ? "before any call" : "in \(call)"
    return (Verdict(rawValue: left.verdict), text(&left.text), place)
  }

  private func text<T>(_ bytes: inout T) -> String {
    withUnsafeBytes(of: &bytes) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
  }
}

/// Memory that a process can be given as a descriptor; goes with the last that holds it.
final class SharedMemory {
  let descriptor: Int32

  init(bytes: Int) throws(IOError) {
    let closeOnExec: UInt32 = 1  // MFD_CLOEXEC, which the Glibc module does not have
    descriptor = clinux_memfd_create("voiced-check", closeOnExec)
    if descriptor < 0 || ftruncate(descriptor, bytes) != 0 { throw .last("make shared memory") }
  }

  deinit {
    if descriptor >= 0 { close(descriptor) }
  }
}
