import CAV

/// Leads a pass to the frame at `start`, exactly, without decoding all that lies before it.
///
/// Time is counted from the first frame that plays. Plain PCM is sought in; in everything else packets
/// are read and passed over, because a seek in an MP3 without an index lands on a guess. The last second
/// before `start` is decoded, for codecs whose frames build on those before, and all of the packet in
/// which that second begins: some hold many seconds.
struct StartPoint {
  private let seconds: Double
  /// Frames of output still to be left out.
  private var remaining: Int64
  /// Time stamp of the first frame that would play.
  private var zero = noTime
  private var timeBase = 0.0
  private var landed = 0.0
  /// The longest packet so far, as it says or, where it does not, as the next one shows.
  private var longest: Int64 = 0
  /// Where the last packet began.
  private var last = noTime
  private var state: State

  private enum State {
    case first
    /// Packets are passed over until this time stamp.
    case passing(Int64)
    /// The next decoded frame tells where we are.
    case landing
    case reached
  }

  /// Shortest `start` that is not simply decoded and left out, and what is decoded before any other.
  private static let lead = 1.0

  init(seconds: Double) {
    self.seconds = seconds
    remaining = Int64((seconds * Double(Sound.rate)).rounded())
    state = seconds > 2 * Self.lead ? .first : .reached
  }

  /// Seconds that were passed over; `nil` while it is not known where that led.
  var skippedSeconds: Double? {
    if case .reached = state { return landed }
    return nil
  }

  /// Whether packets are being passed over.
  var isPassing: Bool {
    if case .passing = state { return true }
    return false
  }

  /// Looks at a decoded frame before it is played; `true` when it is left out as a whole.
  mutating func skips(
    _ frame: UnsafePointer<AVFrame>, _ demuxer: Demuxer, _ decoder: SoundDecoder
  ) -> Bool {
    switch state {
    case .first:
      if zero == noTime {
        timeBase = av_q2d(demuxer.timeBase)
        zero = frame.pointee.pts
      }
      // How far the first packet reaches may show with the second one only.
      if zero != noTime, timeBase > 0, longest == 0 { return false }
      state = .reached
      guard zero != noTime, timeBase > 0 else { return false }
      let target = zero + Int64((seconds - Self.lead) / timeBase)
      // What has been read already may reach that far.
      guard Self.end(of: last, longest) < target else { return false }
      if decoder.bytesPerSample > 0, demuxer.seek(to: target) {
        state = .landing
      } else {
        state = .passing(target)
      }
      decoder.flush()
      return true
    case .landing:
      state = .reached
      guard frame.pointee.pts != noTime else { return false }
      landed = Double(frame.pointee.pts - zero) * timeBase
      remaining = Int64(((seconds - landed) * Double(Sound.rate)).rounded())
      return false
    case .passing, .reached: return false
    }
  }

  /// Whether a packet lies before all that is needed.
  mutating func passes(_ packet: UnsafePointer<AVPacket>) -> Bool {
    let begin = packet.pointee.pts
    let duration = packet.pointee.duration
    if begin != noTime {
      // A gap in the sound is no long packet.
      longest = max(longest, duration > 0 ? duration : Self.distance(from: last, to: begin))
      last = begin
    }
    guard case .passing(let target) = state else { return false }
    if begin == noTime { return true }
    if Self.end(of: begin, duration > 0 ? duration : longest) <= target { return true }
    state = .landing
    return false
  }

  /// Time stamps are what a file says: nothing is too far.
  private static func end(of begin: Int64, _ length: Int64) -> Int64 {
    let (end, isBeyond) = begin.addingReportingOverflow(length)
    return isBeyond ? .max : end
  }

  private static func distance(from last: Int64, to begin: Int64) -> Int64 {
    guard last != noTime else { return 0 }
    let (distance, isBeyond) = begin.subtractingReportingOverflow(last)
    return isBeyond ? 0 : max(0, distance)
  }

  /// Frames of output to leave out at the head of a piece.
  mutating func drop(from frames: Int) -> Int {
    guard remaining > 0 else { return 0 }
    let count = min(Int64(frames), remaining)
    remaining -= count
    return Int(count)
  }
}
