import VoiceCore
import VoiceIO

extension Monitor.Request {
  /// Reads `OpenMonitor`'s options.
  init(options: [String: BusValue]) throws(Refusal) {
    self.init()
    var reader = OptionReader(options)
    source = try reader.text("source") ?? source
    target = try reader.text("target") ?? target
    playback = try reader.playback()
    rate = try reader.number("rate") ?? rate
    application = try reader.text("application") ?? application
    reason = try reader.text("reason") ?? reason
    try reader.finish()
    guard LevelPace.rates.contains(Int(rate)) else {
      throw Refusal(.invalidValue, "'rate' is 1 to 60 levels a second")
    }
  }
}
