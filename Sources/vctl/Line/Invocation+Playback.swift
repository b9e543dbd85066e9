import VoiceIO

extension Invocation {
  /// `--start` and `--loop`, as `Begin` and `OpenMonitor` take them.
  func playback() throws(Failure) -> [String: BusValue] {
    var options: [String: BusValue] = [:]
    if let seconds = try number("start", in: 0...1e9) { options["start"] = .double(seconds) }
    if has("loop") { options["loop"] = .boolean(true) }
    return options
  }
}
