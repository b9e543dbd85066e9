import VoiceCore

extension TakeSettings {
  /// What a session starts with: the user's configuration.
  init(_ configuration: Configuration) {
    self.init(
      source: configuration.source, target: configuration.target, format: configuration.format,
      minimum: min(configuration.minimum, configuration.maximum), maximum: configuration.maximum,
      autoStop: configuration.autoStop, pauseMedia: configuration.pauseMedia)
  }
}
