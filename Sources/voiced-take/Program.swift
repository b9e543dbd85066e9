import CAV
import Glibc
import VoiceAudio
import VoiceCore

/// Spools and encodes one take (`voiced-take`, run by the daemon), makes a recording of a spool that a
/// crash left (`--recover`), or prints a file's waveform (`--waveform`).
@main
struct Program {
  /// The socket to the daemon.
  private static let control = ControlSocket(descriptor: 3)
  /// The memory the source writes its sound to.
  private static let ring: Int32 = 4

  private static let usage = """
    usage: voiced-take                                          (descriptors 3 and 4 from voiced)
           voiced-take --recover FOLDER TAKE FORMAT [WAVEFORMS]
           voiced-take --waveform FILE NAME [--packed]
    """

  static func main() {
    // The codec libraries write to stderr what the reports say better.
    av_log_set_level(AV_LOG_QUIET)
    let words = Array(CommandLine.arguments.dropFirst())
    switch words.first {
    case nil: record()
    case "--recover" where words.count == 4 || words.count == 5: recover(Array(words.dropFirst()))
    case "--waveform" where words.count == 3 || words.count == 4 && words[3] == "--packed":
      waveform(words[1], words[2], isPacked: words.count == 4)
    default:
      write(usage, to: 2)
      exit(2)
    }
  }

  private static func record() {
    Containment.enter(keeping: UInt32(ring))
    Containment.ignoreEndings()
    do throws(RingError) {
      var loop = TakeLoop(control: control, ring: try SoundRing(descriptor: ring, writable: false))
      loop.run()
    } catch {
      control.send(TakeFailure(.sourceFailed, "\(error)").report.message)
      exit(1)
    }
  }

  private static func recover(_ words: [String]) {
    let hasControl = fcntl(control.descriptor, F_GETFD) >= 0
    Containment.enter(keeping: hasControl ? 3 : 2)
    let report: TakeReport
    var status: Int32 = 0
    do throws(TakeFailure) {
      guard let take = UInt32(words[1]) else {
        throw TakeFailure(.invalidValue, "\"\(words[1])\" is no take number")
      }
      let names = words.count == 4 ? words[3].split(separator: " ") : []
      let recovery = Recovery(
        folder: StateFolder(path: words[0]), take: take,
        format: try Format(named: words[2]),
        exports: names.compactMap { WaveformExport(rawValue: String($0)) })
      report = .ready(try recovery.run())
    } catch {
      report = error.report
      status = error.status
    }
    if !hasControl || !control.send(report.message) {
      write(report.message.word + "\n" + report.message.lines, to: 1)
    }
    exit(status)
  }

  private static func waveform(_ path: String, _ name: String, isPacked: Bool) {
    Containment.enter(keeping: 2)
    do throws(TakeFailure) {
      let command = try WaveformCommand(path: path, export: name, isPacked: isPacked)
      let (line, isCutShort) = try command.result()
      let code = write(line, to: 1)
      // A reader that has left is no error.
      guard code == 0 || code == EPIPE else {
        complain("Standard output cannot be written (\(String(cString: strerror(code)))).")
        exit(1)
      }
      if isCutShort { complain("\(path) is cut short; this is the waveform of what there is.") }
    } catch {
      complain(error.error.sentence(error.text))
      exit(error.status)
    }
  }

  /// Prints a sentence to standard error, under the name that it was run by: vctl's, or its own.
  private static func complain(_ sentence: String) {
    let name = CommandLine.arguments.first?.split(separator: "/").last ?? "voiced-take"
    write("\(name): \(sentence)", to: 2)
  }

  /// Writes a line; answers 0, or the errno that kept it from that.
  @discardableResult
  private static func write(_ text: String, to descriptor: Int32) -> Int32 {
    let bytes = Array((text + "\n").utf8)
    var done = 0
    while done < bytes.count {
      let count = bytes.withUnsafeBytes {
        Glibc.write(descriptor, $0.baseAddress.map { $0 + done }, bytes.count - done)
      }
      guard count > 0 else { return errno }
      done += count
    }
    return 0
  }
}
