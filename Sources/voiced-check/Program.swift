import Glibc
import VoiceCore
import VoiceIO

/// Judges a plugin by the rules of `voiced_source.h`.
@main
struct Program {
  static func main() {
    let options: Options
    do throws(Options.Misuse) {
      options = try Options(Array(CommandLine.arguments.dropFirst()))
    } catch {
      write("voiced-check: \(error.text)\n" + Options.usage, to: 2)
      exit(2)
    }
    switch options.task {
    case .help: write(Options.usage, to: 1)
    case .version: write("voiced-check \(WireNames.daemonVersion)\n", to: 1)
    case .list: write(Report.list(json: options.json), to: 1)
    case .run(let name, let path, let id): runCheck(name, path: path, id: id, options)
    case .check(let path): exit(judge(path, options))
    }
  }

  /// Runs every wanted check and prints the table; returns the status to end with.
  private static func judge(_ path: String, _ options: Options) -> Int32 {
    guard let resolved = realpath(path, nil) else {
      write("voiced-check: \(path): \(String(cString: strerror(errno)))\n", to: 2)
      return 2
    }
    defer { free(resolved) }
    let report: Report
    do throws(IOError) {
      let runner = try Runner(path: String(cString: resolved), options: options)
      let rows = options.json ? nil : { (row: Report.Row) in write(Report.line(row), to: 1) }
      report = Report(path: path, rows: try runner.run(telling: rows ?? { _ in }))
    } catch {
      write("voiced-check: \(error.text)\n", to: 2)
      return 2
    }
    write(options.json ? report.json : report.summary, to: 1)
    return report.isBad ? 1 : 0
  }

  static func write(_ text: String, to descriptor: Int32) {
    var bytes = Array(text.utf8)[...]
    while !bytes.isEmpty {
      let count = bytes.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      if count <= 0 { return }
      bytes = bytes.dropFirst(count)
    }
  }
}
