import VoiceCore
import VoiceIO

/// The running sources, one for each source, target and way to play it, shared by takes and leases.
final class SourcePool {
  private let loop: EventLoop
  private let host: SourceHost
  private let configuration: Configuration
  private var runs: [SourceKey: SourceRun] = [:]

  init(loop: EventLoop, host: SourceHost, configuration: Configuration) {
    self.loop = loop
    self.host = host
    self.configuration = configuration
  }

  /// Adds a listener to the source's run, which starts when it is the first.
  func join(
    _ listener: any SourceListener, source: PluginSource, target: String, playback: Playback
  ) throws -> SourceRun {
    let key = SourceKey(source: source.id, target: target, playback: playback)
    if let run = runs[key], !run.hasEnded {
      run.join(listener)
      return run
    }
    let run = try SourceRun(
      key: key, source: source, loop: loop, host: host,
      options: options(of: source) + playback.lines, gain: configuration.levelGain,
      mayBecomeTake: configuration.preRoll > 0)
    runs[key] = run
    run.join(listener)
    return run
  }

  /// Takes a listener away; the last one closes the source.
  func leave(_ listener: any SourceListener, _ run: SourceRun) {
    run.leave(listener)
    guard run.isUnused else { return }
    run.stop()
    if runs[run.key] === run { runs[run.key] = nil }
  }

  private func options(of source: PluginSource) -> String {
    guard source.flags.contains(.hearsTheUser), !configuration.mediaRole.isEmpty else { return "" }
    return "media-role=\(configuration.mediaRole)\n"
  }
}
