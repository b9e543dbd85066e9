import VoiceCore
import VoiceIO

/// Prints each event as a JSON line.
final class WatchJson: Watcher {
  private let channel: OutputChannel
  private var state = RecorderState()
  /// A reader that fell too far behind gets a snapshot in place of what it missed.
  private var hasMissed = false

  init(_ daemon: Daemon) throws(Failure) {
    let loop = daemon.loop
    channel = try OutputChannel(loop)
    channel.onGone = { loop.end($0) }
    channel.onDrained = { [weak self] in self?.catchUp() }
  }

  func take(_ event: RecorderEvent) {
    state.apply(event)
    // Old levels are worth nothing to a reader that is slow.
    if case .level = event, channel.isBusy { return }
    if !channel.send(JsonLines.line(event).text + "\n") { hasMissed = true }
  }

  private func catchUp() {
    guard hasMissed else { return }
    hasMissed = false
    let event: RecorderEvent = state.isOnline ? .snapshot(state) : .offline
    channel.send(JsonLines.line(event).text + "\n")
  }
}
