import Foundation
import VoiceIO
import VoiceTestKit

/// What `voiced-check --json` says of a plugin.
struct CheckRun: Decodable {
  struct Row: Decodable {
    let check: String
    let result: String
    let text: String
    /// Present where the library has several sources.
    let source: String?
  }

  let ok: Bool
  let checks: [Row]

  /// Rows that are neither passed nor skipped, as "check result".
  var faults: [String] {
    checks.filter { !["pass", "skip"].contains($0.result) }.map { "\($0.check) \($0.result)" }
  }

  static var program: String { DaemonUnderTest.productFolder + "/voiced-check" }

  /// Judges a library; throws when what comes back is no judgement.
  ///
  /// The status must agree with what is said: 0 when nothing failed or crashed, else 1.
  init(
    _ library: String, _ arguments: [String] = [],
    environment: [String: String] = ProcessEnvironment.all
  ) throws {
    let result = try runTool(
      Self.program, [library, "--json"] + arguments, environment: environment, timeout: 120)
    guard result.output.split(separator: UInt8(ascii: "\n")).count == 1 else {
      throw RigFailure("voiced-check \(library): \(result.text) \(result.errorText)")
    }
    self = try JSONDecoder().decode(Self.self, from: Data(result.output))
    guard result.status == .exited(ok ? 0 : 1) else {
      throw RigFailure("voiced-check \(library) ended with \(String(describing: result.status))")
    }
  }
}
