import VoiceCore

/// The waveform of many channels: of each 50 ms the loudest channel, never a mean.
struct LoudestChannel {
  let rate: Int
  private(set) var builder: WaveformBuilder
  /// The open window of each channel.
  private var windows: [[Float]]
  private var closed = 0

  /// `rate` in frames a second; at least one channel.
  init(rate: Int, channels: Int) {
    self.rate = rate
    builder = WaveformBuilder(rate: rate)
    windows = Array(repeating: [], count: max(1, channels))
  }

  var channels: Int { windows.count }

  /// Takes the same stretch of every channel.
  mutating func add(_ samples: [[Float]]) {
    guard windows.count > 1 else { return samples.first.map { builder.add($0.span) } ?? () }
    let count = samples.map(\.count).min() ?? 0
    var done = 0
    while done < count {
      let boundary = (closed + 1) * rate / PeakMeter.peaksPerSecond
      let part = min(count - done, max(1, boundary - builder.frames - windows[0].count))
      for index in windows.indices {
        windows[index] += samples[min(index, samples.count - 1)][done..<(done + part)]
      }
      done += part
      if builder.frames + windows[0].count >= boundary { close() }
    }
  }

  /// Ends the last window.
  mutating func finish() { if !windows[0].isEmpty { close() } }

  private mutating func close() {
    var loudest = 0
    var power = -1.0
    for index in windows.indices {
      let window = windows[index]
      var sums = FrameSums()
      sums.add(window.span)
      if sums.power > power { (loudest, power) = (index, sums.power) }
    }
    let loudestWindow = windows[loudest]
    builder.add(loudestWindow.span)
    for index in windows.indices { windows[index].removeAll(keepingCapacity: true) }
    closed += 1
  }
}
