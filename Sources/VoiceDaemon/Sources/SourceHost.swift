import CLinux
import Glibc
import VoiceCore
import VoiceIO

/// Starts `voiced-source` processes: for a running source, and for short questions to a plugin.
final class SourceHost {
  private let loop: EventLoop
  private let children: Children
  /// Path of the `voiced-source` program.
  private let program: String
  /// What a child sees of the daemon's environment.
  private let environment: [String: String]

  init(
    loop: EventLoop, children: Children, program: String, environment: [String: String]
  ) {
    self.loop = loop
    self.children = children
    self.program = program
    self.environment = environment.filter { isForChildren($0.key) }
  }

  /// What a question brought: the messages, and how the process ended, as a reason.
  struct Outcome {
    var messages: [ControlMessage]
    var end: String
    var isSuccess = false
  }

  /// Asks what a plugin offers.
  func describe(
    plugin: String, deadline: Double, then: @escaping (Outcome) -> Void
  ) {
    ask(["--describe", plugin], deadline: deadline, then: then)
  }

  /// Asks what a source can be pointed at now.
  func targets(
    of source: PluginSource, deadline: Double, then: @escaping (Outcome) -> Void
  ) {
    ask(["--targets", source.plugin, source.id], deadline: deadline, then: then)
  }

  private func ask(
    _ arguments: [String], deadline: Double, then: @escaping (Outcome) -> Void
  ) {
    let question = Question(loop: loop, then: then)
    do {
      let (ours, theirs) = try ControlChannel.pair()
      defer { close(theirs) }
      try question.listen(on: ours)
      let command = ChildCommand(
        path: program, arguments: arguments, descriptors: [(parent: theirs, child: 3)],
        environment: environment)
      let child = try children.spawn(command) { question.ended($0) }
      question.await(child, deadline: deadline)
    } catch {
      question.fail(error.text)
    }
  }

  /// Starts a source process on a ring; it waits for its `start` command.
  func run(
    _ source: PluginSource, ring: Int32, wake: Int32, control: Int32,
    onExit: @escaping (ExitStatus) -> Void
  ) throws(IOError) -> Child {
    try children.spawn(
      ChildCommand(
        path: program, arguments: [source.plugin, source.id],
        descriptors: [
          (parent: control, child: 3), (parent: ring, child: 4), (parent: wake, child: 5),
        ],
        environment: environment),
      onExit: onExit)
  }
}

/// A child asked once: its messages until it ends or its time is up.
private final class Question {
  private let loop: EventLoop
  private let then: (SourceHost.Outcome) -> Void
  private var messages: [ControlMessage] = []
  private var channel: ControlChannel?
  private var timer: LoopTimer?
  private var isOver = false

  init(loop: EventLoop, then: @escaping (SourceHost.Outcome) -> Void) {
    self.loop = loop
    self.then = then
  }

  func listen(on descriptor: Int32) throws(IOError) {
    channel = try ControlChannel(
      loop: loop, descriptor: descriptor,
      onMessage: { self.messages.append($0) },
      onClose: {})
  }

  func await(_ child: Child, deadline: Double) {
    timer = loop.timer { [self] in
      child.signal(SIGKILL)
      fail("it did not answer within \(Int(deadline)) s")
    }
    timer?.start(after: deadline)
  }

  func ended(_ status: ExitStatus) {
    // What the child still said before it ended is read before its end is judged.
    loop.later {
      self.channel?.drain()
      self.finish(status.text, isSuccess: status.isSuccess)
    }
  }

  func fail(_ reason: String) { finish(reason, isSuccess: false) }

  private func finish(_ reason: String, isSuccess: Bool) {
    guard !isOver else { return }
    isOver = true
    timer?.cancel()
    channel?.close()
    channel = nil
    then(SourceHost.Outcome(messages: messages, end: reason, isSuccess: isSuccess))
  }
}

/// Whether a variable of the daemon's environment is passed on to its children.
func isForChildren(_ name: String) -> Bool {
  let names = ["HOME", "USER", "LOGNAME", "LANG", "PATH", "TMPDIR", "DBUS_SESSION_BUS_ADDRESS"]
  let prefixes = ["XDG_", "LC_", "PIPEWIRE_", "SPA_", "VOICED_", "ASAN_", "TSAN_", "UBSAN_"]
  return names.contains(name) || prefixes.contains { name.utf8.starts(with: $0.utf8) }
}
