import CLinux
import Glibc
import VoiceAudio
import VoiceCore
import VoiceIO

/// A real `voiced-source` process with a ring, an eventfd and a control channel, as the daemon
/// would start it.
final class SourceRig {
  let loop: EventLoop
  let ring: SoundRing
  let wake: Int32
  let pid: Int32
  private(set) var reports: [SourceReport] = []
  private(set) var wakeUps = 0
  private(set) var isClosed = false
  private var control: ControlChannel?
  private var watch: Watch?
  private var status: ExitStatus?

  /// Folder of the built programs and plugins: that of the test bundle.
  static var products: String {
    for line in CommandLine.arguments where line.utf8.contains(UInt8(ascii: "/")) {
      let folder = line.split(separator: "/").dropLast().map { "/" + $0 }.joined()
      if access(folder + "/voiced-source", X_OK) == 0 { return folder }
    }
    return ".build/debug"
  }

  static func plugin(_ name: String) -> String { "\(products)/libvoiced-\(name).so" }

  init(plugin: String, id: String, ring: SoundRing? = nil) throws {
    loop = try EventLoop()
    self.ring = try ring ?? SoundRing.create()
    wake = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))
    let (ours, theirs) = try ControlChannel.pair()
    defer { close(theirs) }
    pid = try ChildCommand(
      path: "\(Self.products)/voiced-source", arguments: [plugin, id],
      descriptors: [(theirs, 3), (self.ring.descriptor, 4), (wake, 5)]
    ).spawn()
    control = try ControlChannel(
      loop: loop, descriptor: ours,
      onMessage: { [unowned self] in
        if let report = SourceReport($0) { reports.append(report) }
      }, onClose: { [unowned self] in isClosed = true })
    watch = try loop.watch(wake, read: true, write: false) { [unowned self] _, _ in
      var count: UInt64 = 0
      _ = read(wake, &count, 8)
      wakeUps += Int(count)
    }
  }

  deinit {
    watch?.cancel()
    if status == nil {
      kill(pid, SIGKILL)
      waitpid(pid, nil, 0)
    }
    close(wake)
  }

  func send(_ command: SourceCommand) { control?.send(command.message) }
  func hangUp() { control?.close() }

  /// Serves the loop until something is so; false when it is not within the seconds given.
  func wait(_ seconds: Double = 5, until condition: () -> Bool) -> Bool {
    let end = EventLoop.now + UInt64(seconds * 1e9)
    while !condition() {
      guard EventLoop.now < end else { return false }
      loop.turn(atMost: 0.005)
    }
    return true
  }

  /// How the process ended; `nil` when it has not within the seconds given.
  func end(within seconds: Double = 5) -> ExitStatus? {
    _ = wait(seconds) {
      guard status == nil else { return true }
      var code: Int32 = 0
      if waitpid(pid, &code, WNOHANG) == pid { status = ExitStatus(waitStatus: code) }
      return status != nil
    }
    return status
  }

  var failure: (code: Int32, text: String)? {
    for case .failed(let code, let text) in reports { return (code, text) }
    return nil
  }

  var logged: [String] {
    reports.compactMap { if case .log(_, let text) = $0 { text } else { nil } }
  }
}
