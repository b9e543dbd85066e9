import Glibc
import VoiceCore
import VoiceIO

/// One life of a `voiced-source` process, and the control channel to it.
final class SourceProcess {
  /// Seconds a plugin has to stop before its process is killed.
  private static let grace = 1.5

  var onReport: ((SourceReport) -> Void)?
  /// The process ended without having been asked to.
  var onDeath: ((ExitStatus) -> Void)?
  private let loop: EventLoop
  private var channel: ControlChannel?
  private var child: Child?
  private var isStopping = false

  init(loop: EventLoop) { self.loop = loop }

  func start(
    _ source: PluginSource, host: SourceHost, ring: Int32, wake: Int32
  ) throws(IOError) {
    let (ours, theirs) = try ControlChannel.pair()
    defer { close(theirs) }
    channel = try ControlChannel(
      loop: loop, descriptor: ours,
      onMessage: { [weak self] message in
        guard let report = SourceReport(message) else { return }
        self?.onReport?(report)
      },
      onClose: { [weak self] in
        // A plugin that closed the channel cannot be talked to: its process goes.
        guard let self, !isStopping else { return }
        child?.end(grace: Self.grace)
      })
    child = try host.run(source, ring: ring, wake: wake, control: theirs) { [weak self] status in
      guard let self else { return }
      // Its last reports may say why it ended.
      channel?.drain()
      channel?.close()
      if !isStopping { onDeath?(status) }
    }
  }

  func send(_ command: SourceCommand) {
    // A child that does not read its few commands hangs; its silence is noticed by the ring.
    _ = channel?.send(command.message)
  }

  /// Asks the plugin to stop; the process is killed when it does not.
  func stop() {
    guard !isStopping else { return }
    isStopping = true
    send(.stop)
    channel?.close()
    child?.end(grace: Self.grace)
  }
}
