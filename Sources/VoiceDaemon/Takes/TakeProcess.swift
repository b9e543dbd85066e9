import Glibc
import VoiceCore
import VoiceIO

/// One take's `voiced-take` process, and the control channel to it.
final class TakeProcess {
  /// Seconds that the process has to end a take it was told to keep, set aside or drop.
  private static let deadline = 30.0

  let take: UInt32
  var onReport: ((TakeReport) -> Void)?
  /// The process ended; told once, after its last report.
  var onEnd: (() -> Void)?
  private let loop: EventLoop
  private var channel: ControlChannel?
  private var child: Child?
  private var timer: LoopTimer?

  init(take: UInt32, loop: EventLoop) {
    self.take = take
    self.loop = loop
  }

  func start(
    host: TakeHost, ring: Int32, open command: TakeCommand
  ) throws(IOError) {
    let (ours, theirs) = try ControlChannel.pair()
    defer { close(theirs) }
    channel = try ControlChannel(
      loop: loop, descriptor: ours,
      onMessage: { [weak self] message in
        guard let report = TakeReport(message) else { return }
        self?.onReport?(report)
      },
      onClose: {})
    child = try host.spawn(
      [], descriptors: [(parent: theirs, child: 3), (parent: ring, child: 4)]
    ) { [weak self] _ in
      // What it still said before it ended is read first.
      self?.loop.later {
        guard let self else { return }
        self.channel?.drain()
        self.timer?.cancel()
        self.channel?.close()
        self.onEnd?()
        self.onEnd = nil
        self.onReport = nil
      }
    }
    _ = channel?.send(command.message)
  }

  /// Leaves the process to itself: it closes its spool, which stays valid, and ends.
  func hangUp() { channel?.close() }

  func send(_ command: TakeCommand) {
    _ = channel?.send(command.message)
    switch command {
    case .keep, .setAside, .drop:
      timer = timer ?? loop.timer { [weak self] in self?.child?.signal(SIGKILL) }
      timer?.start(after: Self.deadline)
    case .open, .begin, .cut: break
    }
  }
}

/// Starts `voiced-take` processes: for a running take, and to recover an old one.
final class TakeHost {
  private let children: Children
  private let program: String
  private let environment: [String: String]

  init(children: Children, program: String, environment: [String: String]) {
    self.children = children
    self.program = program
    self.environment = environment.filter { isForChildren($0.key) }
  }

  func spawn(
    _ arguments: [String], descriptors: [(parent: Int32, child: Int32)],
    onExit: @escaping (ExitStatus) -> Void
  ) throws(IOError) -> Child {
    try children.spawn(
      ChildCommand(
        path: program, arguments: arguments, descriptors: descriptors, environment: environment),
      onExit: onExit)
  }
}
