import CFuzz
import Glibc

/// Runs one fuzz target under libFuzzer: `voiced-fuzz TARGET [libFuzzer's own arguments]`.
@main
struct Program {
  /// What reads bytes that others wrote, by name; the folders of the corpus are named alike.
  static let targets: [String: @convention(c) (UnsafePointer<UInt8>?, Int) -> Int32] = [
    "wav": { WavTarget.run(bytes($0, $1)) },
    "recovery": { RecoveryTarget.run(bytes($0, $1)) },
    "messages": { MessagesTarget.run(bytes($0, $1)) },
    "configuration": { ConfigurationTarget.run(bytes($0, $1)) },
    "interfaces": { InterfacesTarget.run(bytes($0, $1)) },
    "bus": { BusTarget.run(bytes($0, $1)) },
    "options": { OptionsTarget.run(bytes($0, $1)) },
  ]

  static func main() {
    guard CommandLine.arguments.count > 1, let target = targets[CommandLine.arguments[1]] else {
      let names = targets.keys.sorted().joined(separator: " ")
      print("usage: voiced-fuzz TARGET [ARGUMENT...], TARGET one of: \(names)")
      exit(2)
    }
    // libFuzzer reads the arguments after its own name.
    var count = CommandLine.argc - 1
    var words: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = CommandLine.unsafeArgv + 1
    exit(LLVMFuzzerRunDriver(&count, &words, target))
  }

  private static func bytes(_ data: UnsafePointer<UInt8>?, _ size: Int) -> [UInt8] {
    Array(UnsafeBufferPointer(start: data, count: size))
  }
}

/// Says which rule the input broke, and ends as a crash that libFuzzer keeps.
func broken(_ rule: StaticString) -> Never {
  // Not through a buffer, which would be lost.
  rule.withUTF8Buffer { _ = write(STDERR_FILENO, $0.baseAddress, $0.count) }
  abort()
}
