import Glibc

/// The source process's side of a ring: measures, picks the channel, and publishes.
///
/// `push` and `pushLevel` are for the audio thread: no allocation, no lock, a number of steps that
/// grows with the frames alone, and one 8-byte write to an eventfd at most once a reading. Nothing
/// else may touch the writer while that thread runs. Only one writer may exist for a ring.
package struct RingWriter: ~Copyable {
  /// Frames that are worked on at a time; longer pushes are cut up.
  package static let block = 2048

  /// A push that starts later than the end of the one before by more than this left a gap.
  static let gap: UInt64 = 60_000_000
  /// After so long without frames the daemon reads 0, and wants to hear when they come back.
  static let silence: UInt64 = 250_000_000
  /// A rise is clear at four times the power (6 dB) of the last reading...
  static let rise = 4.0
  /// ...and above -46 dBFS, where a meter begins to show anything (loudness 0.04).
  static let audible = 2.5e-5
  /// A source of bare levels has risen clearly by this much.
  static let levelRise: Float = 0.15

  private let ring: SoundRing
  let memory: RingMemory
  private let wake: Int32
  let states: UnsafeMutablePointer<ChannelState>
  private let mono: UnsafeMutablePointer<Float>

  private var rate: UInt64 = UInt64(SoundRing.rate)
  var channels = 1
  var rule = ChannelRule(rate: SoundRing.rate, channels: 1)
  private var converter: RateConverter?
  /// Frames into and out of the converter since it is in use.
  private var taken: UInt64 = 0
  private var made: UInt64 = 0

  /// Frames measured, at the device's rate.
  var measured: UInt64
  /// The same when the daemon took its last reading, and how many readings it had taken then.
  var measuredAtReading: UInt64
  var readings: UInt64
  var level: Float = 0
  var levelAtReading: Float = 0
  private var hasPushed = false
  /// The daemon was woken since its last reading.
  var hasWoken = false

  /// Goes on where an earlier writer of the ring stopped, even one that was killed in mid-change.
  ///
  /// `wake` is an eventfd that stays the caller's; -1 wakes nobody.
  package init(ring: SoundRing, wake: Int32) {
    self.ring = ring
    memory = ring.memory
    self.wake = wake
    states = .allocate(capacity: RingLayout.maximumChannels)
    states.initialize(repeating: ChannelState(), count: RingLayout.maximumChannels)
    mono = .allocate(capacity: Self.block)
    mono.initialize(repeating: 0, count: Self.block)
    memory.store((memory.load(RingLayout.sequence) | 1) &+ 1, RingLayout.sequence)
    measured = memory.load(RingLayout.measured)
    measuredAtReading = measured
    readings = memory.load(RingLayout.readings)
    for channel in 0..<RingLayout.maximumChannels {
      let sum = Int64(bitPattern: memory.load(RingLayout.sums + channel * 8))
      let squares = Int64(bitPattern: memory.load(RingLayout.squares + channel * 8))
      states[channel].sum = sum
      states[channel].sumAtReading = sum
      states[channel].squares = squares
      states[channel].squaresAtReading = squares
    }
  }

  deinit {
    states.deallocate()
    mono.deallocate()
  }

  /// Sets what the pushes to come carry: frames a second, channels (1 to 64), and the converter
  /// that a rate other than 48 kHz needs.
  ///
  /// Real-time safe, for the thread that pushes.
  package mutating func use(rate: UInt32, channels: Int, converter: RateConverter?) {
    self.rate = UInt64(max(rate, 1))
    self.channels = min(max(channels, 1), RingLayout.maximumChannels)
    self.converter = converter
    rule = ChannelRule(rate: Int(self.rate), channels: self.channels)
    taken = 0
    made = 0
    for channel in 0..<RingLayout.maximumChannels {
      states[channel].mean = 0
      states[channel].meanSquare = 0
    }
  }

  /// Takes planar sound, one pointer a channel as `use` said, none of them nil; `time` is the
  /// CLOCK_MONOTONIC ns of the first frame.
  package mutating func push(
    _ planes: UnsafePointer<UnsafePointer<Float>?>, frames: Int, time: UInt64
  ) {
    let isNews = arrive(time)
    var done = 0
    while done < frames {
      let count = min(Self.block, frames - done)
      let start = time &+ UInt64(done) * 1_000_000_000 / rate
      let end = time &+ UInt64(done + count) * 1_000_000_000 / rate
      measure(planes, offset: done, frames: count)
      rule.mix(planes, offset: done, frames: count, to: mono)
      if let converter {
        convert(with: converter, frames: count, start: start, end: end)
      } else {
        publish(mono, frames: count, start: start, end: end)
      }
      done += count
    }
    if isNews || hasRisen() { signal() }
  }

  /// Takes a bare level, 0 to 1, of a source that has no sound.
  ///
  /// Not a number counts as 0.
  package mutating func pushLevel(_ level: Float, time: UInt64) {
    let isNews = arrive(time)
    self.level = level > 0 ? min(level, 1) : 0
    publishLevel(time: time)
    if isNews || (!hasWoken && self.level - levelAtReading >= Self.levelRise) { signal() }
  }

  /// Gets the last fraction of a millisecond out of the converter, at the end of the material.
  ///
  /// `frames` zeros, at the device's rate, are what it holds back.
  package mutating func flush(frames: Int) {
    guard let converter, frames > 0, frames <= Self.block else { return }
    for index in 0..<frames { mono[index] = 0 }
    let start = memory.load(RingLayout.end)
    convert(with: converter, frames: frames, start: start, end: start)
  }

  private mutating func convert(
    with converter: RateConverter, frames: Int, start: UInt64, end: UInt64
  ) {
    guard let output = converter.output.baseAddress else { return }
    let room = UInt32(converter.output.count)
    let count = min(converter.convert(converter.context, mono, UInt32(frames), output, room), room)
    // What comes out first sounded before what goes in now: by what the converter holds back.
    let held = Int64(made &* rate) &- Int64(taken &* UInt64(SoundRing.rate))
    let shift = Int64(Double(held) * 1e9 / (Double(rate) * Double(SoundRing.rate)))
    made &+= UInt64(count)
    taken &+= UInt64(frames)
    publish(output, frames: Int(count), start: start &+ UInt64(bitPattern: shift), end: end)
  }

  /// Notes a push's time and whether the daemon took a reading since the one before.
  ///
  /// Answers true when the daemon should hear of it: the first push of this process, and the first
  /// after a quarter of a second without any, which is when a reading falls to 0.
  private mutating func arrive(_ time: UInt64) -> Bool {
    noteReading()
    let isFirst = !hasPushed
    hasPushed = true
    // What a new process did not deliver is lost, however quickly it was started.
    return addGap(before: time, beyond: isFirst ? 0 : Self.gap) > Self.silence || isFirst
  }

  private mutating func signal() {
    hasWoken = true
    var one: UInt64 = 1
    if wake >= 0 { _ = write(wake, &one, 8) }
  }
}
