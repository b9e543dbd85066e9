import Glibc
import VoiceAudio
import VoiceCore

/// One take: what the ring holds goes to the spool at once, and a second later to the encoder.
///
/// The encoder lags, so that a cut that arrives a moment after its frame was read needs no second
/// encoding. Whatever fails, the spool stays a valid file of what fitted; the first failure is told once
/// and ends the recording.
final class Take {
  private let ring: SoundRing
  private let folder: StateFolder
  private let take: UInt32
  private let format: Format
  private let exports: [WaveformExport]
  private let gain: Double
  private let spool: Spool
  /// `nil` after a failure.
  private var recording: Recording?

  /// The take's first frame in the ring; `nil` before `begin`.
  private var first: UInt64?
  /// The next frame of the ring to read.
  private var next: UInt64 = 0
  /// The frame of the ring to stop at.
  private var cut: UInt64?
  /// Stretches of the ring that were overwritten before they were read.
  private var skipped: [Range<UInt64>] = []
  /// Length of the spool when it was synced last.
  private var syncedFrames: UInt64 = 0
  private var chunk = [Float](repeating: 0, count: 8192)

  /// Frames that the encoder stays behind the spool: a second.
  private static let lag: UInt64 = 48_000

  /// Makes the folders, the spool and the encoder.
  init(
    ring: SoundRing, folder: String, take: UInt32, format: String, waveforms: [String],
    gain: Double
  ) throws(TakeFailure) {
    self.ring = ring
    self.folder = StateFolder(path: folder)
    self.take = take
    self.format = try Format(named: format)
    self.gain = gain
    exports = waveforms.compactMap { WaveformExport(rawValue: $0) }
    try self.folder.make()
    spool = try Spool(self.folder, take: take)
    do throws(TakeFailure) {
      recording = try Recording(
        self.folder, take: take, format: self.format, exports: exports, gain: gain)
    } catch {
      spool.file.remove()
      throw error
    }
  }

  /// Seconds of the ring that were overwritten before they were read.
  private var missed: Double { skipped.reduce(0) { $0 + Double($1.count) } / 48_000 }
  /// Whether there may be frames to read.
  var isRunning: Bool { first != nil && recording != nil && !isReadyToFinish }
  /// Whether there is sound to read, or some that is not on the disk yet.
  var hasWork: Bool { isRunning || recording != nil && syncedFrames != spool.frames }
  /// Whether every frame up to the cut is on the disk.
  var isClosed: Bool { isComplete && syncedFrames == spool.frames }
  /// Whether a frame to stop at is set.
  var isCut: Bool { cut != nil }
  /// Whether frames before the cut are still on their way.
  var isWaitingForCut: Bool { isCut && isRunning }
  /// Whether every frame up to the cut has been read.
  private var isComplete: Bool { cut.map { next >= $0 } ?? false }
  /// Whether nobody waits any more for the frames after the cut, which only sharpen its end.
  var isHasty = false
  /// Whether the last frames are read, and those after them that the encoder looks at.
  private var isReadyToFinish: Bool {
    guard isComplete, let cut, let recording else { return isComplete }
    return isHasty || ring.written >= cut + UInt64(recording.lookahead)
  }

  func begin(at frame: UInt64) {
    guard first == nil else { return }
    first = frame
    next = frame
  }

  /// Sets the frame to stop at; `nil` is what the ring has now, and a later cut replaces an earlier.
  func cut(at frame: UInt64?) throws(TakeFailure) {
    guard let first else { return }
    let end = max(first, frame ?? ring.written)
    cut = end
    if next > end {
      // Read too far already: the surplus goes, of which what was skipped is no part.
      let beyond = skipped.map { $0.clamped(to: end..<next) }
      let surplus = next - end - beyond.reduce(0) { $0 + UInt64($1.count) }
      skipped = skipped.map { $0.clamped(to: 0..<end) }.filter { !$0.isEmpty }
      next = end
      try spool.close(at: spool.frames - min(surplus, spool.frames))
    }
    try advance()
  }

  /// Takes what has come of the cut, because the rest has not come in time.
  func settle() throws(TakeFailure) { try cut(at: min(ring.written, cut ?? .max)) }

  /// Reads what the ring has, up to the cut, and encodes what is old enough.
  func advance() throws(TakeFailure) {
    guard first != nil, let recording else { return }
    try read()
    if isReadyToFinish {
      try encode(upTo: spool.frames)
      try self.recording?.finish(beyond: beyondCut())
    } else if spool.frames > recording.frames + Self.lag {
      try encode(upTo: spool.frames - Self.lag)
    }
  }

  private func read() throws(TakeFailure) {
    let end = min(ring.written, cut ?? .max)
    while next < end {
      let wanted = Int(min(UInt64(chunk.count), end - next))
      let outcome = chunk.withUnsafeMutableBufferPointer {
        ring.read(from: next, into: UnsafeMutableBufferPointer(rebasing: $0[..<wanted]))
      }
      switch outcome {
      case .copied(let count):
        guard count > 0 else { return }
        try spool.append(chunk, count: count)
        next += UInt64(count)
      case .overrun(let oldest):
        let lost = min(oldest, end) - min(next, oldest, end)
        guard lost > 0 else { return }
        skipped.append(next..<next + lost)
        next += lost
      }
    }
  }

  /// What the ring has of the frames after the cut.
  private func beyondCut() -> [Float] {
    guard let cut, let recording, recording.lookahead > 0, ring.written > cut else { return [] }
    var frames = [Float](repeating: 0, count: recording.lookahead)
    let outcome = frames.withUnsafeMutableBufferPointer { ring.read(from: cut, into: $0) }
    guard case .copied(let count) = outcome else { return [] }
    return Array(frames.prefix(count))
  }

  /// Brings the encoder to a frame of the spool; from the start when it is beyond it already.
  private func encode(upTo end: UInt64) throws(TakeFailure) {
    guard let now = recording else { return }
    if now.frames > end || now.isFinished && now.frames < end {
      now.discard()
      recording = nil
      recording = try Recording(
        folder, take: take, format: format, exports: exports, gain: gain)
    }
    while let recording, recording.frames < end {
      let count = spool.read(from: recording.frames, upTo: end, into: &chunk)
      guard count > 0 else { throw TakeFailure("read", spool.file.path, code: EIO) }
      try recording.append(chunk, count: count)
    }
  }

  /// Answers `keep`: the recording under its final name, the spool gone.
  func keep() throws(TakeFailure) -> TakeReport {
    guard let recording else { return try setAside() }
    try requireSound()
    try encode(upTo: spool.frames)
    // Where the frames that the encoder looks at have come only now.
    try self.recording?.finish(beyond: beyondCut())
    let facts = try (self.recording ?? recording).publish(missed: missed)
    spool.file.remove()
    return .ready(facts)
  }

  /// Answers `set-aside`: the closed spool in the recovery folder, the recording gone.
  func setAside() throws(TakeFailure) -> TakeReport {
    try requireSound()
    // Only for the bars: they are told with the file, and their absence is no failure.
    try? encode(upTo: spool.frames)
    let waveform = recording?.waveform
    recording?.discard()
    recording = nil
    try spool.close(at: spool.frames)
    try spool.file.sync()
    // Somebody may have deleted the folder meanwhile.
    try folder.make()
    try folder.move(spool.file, to: .recovery, take: take, suffix: ".interrupted.wav")
    return .kept(
      RecordingFacts(
        path: spool.file.path, duration: Double(spool.frames) / 48_000, bytes: spool.file.size,
        rate: 48_000, mediaType: Format.wav.mediaType, waveform: waveform?.values ?? [],
        peak: waveform?.peak ?? 0, missed: missed))
  }

  /// Puts the names of what was kept on the disk.
  ///
  /// After the answer, for it may take long: a power cut before it takes back the new name and the
  /// deletion of the spool together, as the file system wrote them in that order.
  func syncNames() {
    folder.sync(.recordings)
    folder.sync(.recovery)
  }

  private func requireSound() throws(TakeFailure) {
    guard spool.frames == 0 else { return }
    discard()
    throw TakeFailure(
      .sourceFailed, "no sound came from the source, so there is nothing to keep")
  }

  /// Answers `drop`: nothing of the take remains.
  func discard() {
    recording?.discard()
    recording = nil
    spool.file.remove()
  }

  /// After a failure: the encoder is given up, and what fitted stays in the spool, valid.
  func fail() {
    recording?.discard()
    recording = nil
    try? spool.close(at: spool.frames)
    try? spool.file.sync()
  }

  /// When the daemon is gone: everything the ring still has goes to the spool, for the next daemon.
  func abandon() {
    recording?.discard()
    if first != nil, recording != nil { try? read() }
    recording = nil
    if spool.frames == 0 { return spool.file.remove() }
    try? spool.close(at: spool.frames)
    try? spool.file.sync()
  }

  /// Puts what was spooled on the disk.
  func sync() throws(TakeFailure) {
    syncedFrames = spool.frames
    try spool.file.sync()
  }
}
