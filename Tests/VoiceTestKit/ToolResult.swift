import CLinux
import Glibc
package import VoiceIO

/// What a command-line tool said, and how it ended.
package struct ToolResult {
  /// `nil` when it was still running at the deadline, and was killed.
  package let status: VoiceIO.ExitStatus?
  package let output: [UInt8]
  package let errors: [UInt8]

  package var isSuccess: Bool { status == .exited(0) }
  package var text: String { String(decoding: output, as: UTF8.self) }
  package var errorText: String { String(decoding: errors, as: UTF8.self) }
}

/// Runs a command-line tool to its end, or for `timeout` seconds.
package func runTool(
  _ path: String, _ arguments: [String],
  environment: [String: String] = ProcessEnvironment.all, timeout: Double = 10
) throws(IOError) -> ToolResult {
  // Files in memory rather than pipes: a tool that says much never waits for its reader.
  let output = clinux_memfd_create("output", UInt32(MFD_CLOEXEC))
  let errors = clinux_memfd_create("errors", UInt32(MFD_CLOEXEC))
  defer {
    close(output)
    close(errors)
  }
  let command = ChildCommand(path: path, arguments: arguments, environment: environment)
  let process = try RigProcess(command, output: output, errors: errors)
  let status = process.wait(timeout)
  if status == nil { process.end(SIGKILL) }
  return ToolResult(status: status, output: content(output), errors: content(errors))
}

private let MFD_CLOEXEC: Int32 = 1

private func content(_ descriptor: Int32) -> [UInt8] {
  let size = max(0, Int(lseek(descriptor, 0, SEEK_END)))
  return [UInt8](unsafeUninitializedCapacity: size) { buffer, count in
    count = max(0, pread(descriptor, buffer.baseAddress, size, 0))
  }
}
