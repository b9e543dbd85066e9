/// Which channel is recorded: the loudest, followed with hysteresis and a short cross-fade.
///
/// Never a mean of channels: that cancels in anti-phase and halves a one-sided microphone. A value;
/// lives on the audio thread.
struct ChannelRule {
  /// A channel takes over when it has four times the power (6 dB more) of the one recorded.
  static let advantage = 4.0
  /// Power below which no channel counts as sounding: -90 dBFS.
  static let floor = 1e-9
  /// Length of a cross-fade in seconds; shorter ones click, longer ones smear a syllable.
  static let fadeLength = 0.010
  /// Seconds that the running means look back.
  static let memory = 0.150

  private(set) var current = 0
  private(set) var previous = 0
  /// Frames of the running cross-fade that are done, of `fadeFrames`.
  private(set) var faded = 0
  private(set) var fadeFrames: Int
  private let channels: Int
  private var hasSounded = false
  private var seen = 0
  private let memoryFrames: Double

  init(rate: Int, channels: Int) {
    self.channels = channels
    fadeFrames = max(1, Int(Double(rate) * Self.fadeLength))
    faded = fadeFrames
    memoryFrames = Double(rate) * Self.memory
  }

  var isFading: Bool { faded < fadeFrames }

  /// Share of a new block in the running means: its length against the memory's, and all of it at
  /// first, so that a constant offset does not look like sound while the means settle.
  @_noLocks @_noAllocation
  mutating func weight(frames: Int) -> Double {
    if seen < Int(memoryFrames) { seen += frames }
    return Double(frames) / min(Double(seen), memoryFrames + Double(frames))
  }

  /// Looks at the channels after a block was measured and before it is mixed.
  @_noLocks @_noAllocation
  mutating func choose(_ states: UnsafePointer<ChannelState>) {
    guard channels > 1, !isFading else { return }
    var loudest = current
    for channel in 0..<channels where states[channel].power > states[loudest].power {
      loudest = channel
    }
    let power = states[loudest].power
    guard loudest != current, power > Self.floor else {
      if power > Self.floor { hasSounded = true }
      return
    }
    if !hasSounded {
      // Nothing was heard so far: the first sound is followed at once, from its first frame.
      hasSounded = true
      current = loudest
      previous = loudest
    } else if power > states[current].power * Self.advantage {
      previous = current
      current = loudest
      faded = 0
    }
  }

  /// Writes the recorded channel's block to `mono`, limited; the pointers are there and hold it.
  @_noLocks @_noAllocation
  mutating func mix(
    _ channels: UnsafePointer<UnsafePointer<Float>?>, offset: Int, frames: Int,
    to mono: UnsafeMutablePointer<Float>
  ) {
    guard let now = channels[current], let before = channels[previous] else {
      for index in 0..<frames { mono[index] = 0 }
      return
    }
    var index = 0
    while index < frames, faded < fadeFrames {
      let old = limited(before[offset + index])
      let new = limited(now[offset + index])
      mono[index] = old + (new - old) * (Float(faded) / Float(fadeFrames))
      faded += 1
      index += 1
    }
    while index < frames {
      mono[index] = limited(now[offset + index])
      index += 1
    }
  }
}
