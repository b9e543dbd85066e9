import Glibc
import VoiceAudio
import VoiceCore
import VoiceIO
import VoiceTestKit

/// What the real `voiced-source` with the real file plugin made of one file.
final class PlayedFile {
  /// The mono sound at 48 kHz that came into the ring, as far as the ring holds it.
  private(set) var sound: [Float] = []
  private(set) var reports: [SourceReport] = []
  /// Most resident memory seen, in KiB.
  private(set) var memory = 0
  private let loop: EventLoop
  private let ring: SoundRing
  private let process: RigProcess
  private var control: ControlChannel?
  private var isClosed = false

  static let warning: Int32 = 2

  /// Plays a file until it ends, fails, or so many frames have come; throws when none of it does.
  ///
  /// `watcher` is a command that starts the source in its stead, `strace` for one.
  init(
    _ target: String, options: String = "", frames: UInt64 = .max, within deadline: Double = 60,
    watcher: [String] = []
  ) throws {
    loop = try EventLoop()
    ring = try SoundRing.create()
    let wake = open("/dev/null", O_WRONLY | O_CLOEXEC)
    let (ours, theirs) = try ControlChannel.pair()
    let products = DaemonUnderTest.productFolder
    let command =
      watcher + ["\(products)/voiced-source", "\(products)/libvoiced-file.so", "file"]
    process = try RigProcess(
      ChildCommand(
        path: command[0], arguments: Array(command.dropFirst()),
        descriptors: [(theirs, 3), (ring.descriptor, 4), (wake, 5)]))
    close(theirs)
    close(wake)
    let control = try ControlChannel(
      loop: loop, descriptor: ours,
      onMessage: { [unowned self] in
        if let report = SourceReport($0) { reports.append(report) }
      }, onClose: { [unowned self] in isClosed = true })
    self.control = control
    control.send(SourceCommand.start(target: target, options: options).message)
    let isOver = loop.turn(within: deadline) {
      memory = max(memory, ProcessFacts(process.pid).memory.resident)
      return isClosed || ended != nil || failure != nil || ring.written >= frames
    }
    guard isOver else { throw RigFailure("\(target) neither ended nor failed: \(reports)") }
    sound = Self.content(ring)
    control.send(SourceCommand.stop.message)
    guard loop.turn(within: 5, until: { isClosed }), process.wait(5) == .exited(0) else {
      throw RigFailure("the source did not end well: \(String(describing: process.status))")
    }
  }

  /// Plays it up to three times while the machine is too busy: silence is put in then, and all else
  /// is elsewhere.
  static func inTime(
    _ target: String, options: String = "", frames: UInt64 = .max, within deadline: Double = 60,
    watcher: [String] = []
  ) throws -> PlayedFile {
    var played: PlayedFile
    var rounds = 0
    repeat {
      played = try PlayedFile(
        target, options: options, frames: frames, within: deadline, watcher: watcher)
      rounds += 1
    } while played.wasLate && rounds < 3
    return played
  }

  deinit {
    process.end()
    control?.close()
  }

  private static func content(_ ring: SoundRing) -> [Float] {
    let count = Int(min(ring.written, UInt64(SoundRing.capacity)))
    return [Float](unsafeUninitializedCapacity: count) { buffer, copied in
      if case .copied(let some) = ring.read(from: 0, into: buffer) { copied = some }
    }
  }

  /// Why it was refused.
  var failure: (code: Int32, text: String)? {
    for case .failed(let code, let text) in reports { return (code, text) }
    return nil
  }

  /// How the material ended; 0 is its end.
  var ended: Int32? {
    for case .ended(let code) in reports { return code }
    return nil
  }

  var linked: String? {
    for case .linked(let target) in reports { return target }
    return nil
  }

  var channels: Int? {
    for case .format(_, let channels) in reports { return channels }
    return nil
  }

  /// Lines of the log of at least this severity.
  func logged(from severity: Int32 = 0) -> [String] {
    reports.compactMap {
      if case .log(let level, let text) = $0, level >= severity { text } else { nil }
    }
  }

  /// The first frame that is louder than silence.
  var onset: Int? { sound.firstIndex { abs($0) > 0.05 } }

  /// Whether silence was put in because the decoder came too late.
  var wasLate: Bool { logged(from: Self.warning).contains { $0.contains("was late") } }

  /// Amplitude of a tone of 1 kHz between two frames.
  func tone(_ range: Range<Int>) -> Double {
    guard range.upperBound <= sound.count else { return 0 }
    var (real, imaginary) = (0.0, 0.0)
    for index in range {
      let angle = 2 * Double.pi * 1000 * Double(index) / 48_000
      real += Double(sound[index]) * cos(angle)
      imaginary += Double(sound[index]) * sin(angle)
    }
    return 2 * (real * real + imaginary * imaginary).squareRoot() / Double(range.count)
  }
}
