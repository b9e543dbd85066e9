import Glibc
import VoiceAudio
import VoiceCore

/// The kept takes: recordings that nobody has moved away yet, and sound that waits to be recovered.
///
/// What it does to files is renaming and unlinking; sound is read and written by `voiced-take`.
final class TakeLibrary {
  /// Most takes in the recovery area; the oldest go first.
  static let recoveryLimit = 20
  /// Seconds that sound stays in the recovery area.
  static let recoverySpan = 24.0 * 3600

  /// Bytes of a spool without a frame: its header alone, with room to spare.
  private static let emptySpool: Int64 = 128

  private let folder: StateFolder
  /// Seconds that a recording is kept which nobody moved away.
  private let retention: Int64
  private var takes: [KeptTake] = []
  /// Told in how many seconds `expireWaiting` is to be called, whenever that may have changed.
  var onNextExpiry: ((Double) -> Void)?

  init(folder: StateFolder, retention: Double) {
    self.folder = folder
    self.retention = Int64(min(1e12, max(0, retention)))
  }

  /// Reads what earlier runs left; returns the takes that only now turn up.
  func load() -> [KeptTake] {
    // Before the other folders: what a take process moves there meanwhile is looked for again.
    busySpools = Set(folder.names(in: folder.spool).compactMap(spoolNumber))
    _ = scan()
    let found = rescueLeftOvers()
    // Half an encoding is of no use once its spool is in safety.
    for name in folder.names(in: folder.recordings) where name.hasSuffix(".part") {
      guard let take = takeNumber(in: name), FileFacts(path: spool(of: take)) == nil else {
        continue
      }
      unlink(folder.recordings + "/" + name)
    }
    expire()
    return found.filter { kept in takes.contains { $0.take == kept.take } }
  }

  /// Adds what lies in the folders and is not known yet, but for what this daemon's takes are making.
  private func scan() -> [KeptTake] {
    let known = running.union(takes.map(\.take))
    for name in folder.names(in: folder.recordings) {
      let path = folder.recordings + "/" + name
      guard name.hasSuffix(".info"), let take = takeNumber(in: name), !known.contains(take),
        let kept = folder.text(of: path).flatMap({
          KeptTake(text: $0, take: take, state: .finished)
        }) ?? bare(take)
      else { continue }
      if FileFacts(path: kept.facts.path) != nil {
        takes.append(kept)
      } else if FileFacts(path: spool(of: take)) == nil || !isLocked(spool(of: take)) {
        // Moved away, or killed before the recording had its name: then its spool is still there.
        unlink(path)
      }
    }
    for name in folder.names(in: folder.recovery) {
      let path = folder.recovery + "/" + name
      if name.hasSuffix(".info"), FileFacts(path: soundPath(ofInfo: path)) == nil { unlink(path) }
      guard name.hasSuffix(".wav"), let take = takeNumber(in: name), !known.contains(take) else {
        continue
      }
      let state: KeptTake.State = name.hasSuffix(".recovered.wav") ? .recovered : .interrupted
      addSpool(take: take, state: state, path: path)
    }
    return takes.filter { !known.contains($0.take) }
  }

  /// A recording whose facts a power cut has taken: it is there, and its time runs.
  private func bare(_ take: UInt32) -> KeptTake? {
    for name in folder.names(in: folder.recordings) where takeNumber(in: name) == take {
      let path = folder.recordings + "/" + name
      guard let format = Format.allCases.first(where: { name.hasSuffix("." + $0.fileExtension) }),
        let facts = FileFacts(path: path)
      else { continue }
      return KeptTake(
        take: take, state: .finished,
        facts: RecordingFacts(
          path: path, duration: 0, bytes: UInt64(max(0, facts.size)), rate: UInt32(format.rate),
          mediaType: format.mediaType, waveform: []),
        circumstances: .init())
    }
    return nil
  }

  private func spoolNumber(_ name: String) -> UInt32? {
    name.hasSuffix(".wav") ? takeNumber(in: name) : nil
  }

  /// The spools that take processes of an earlier daemon still held when they were looked at.
  private var busySpools: Set<UInt32> = []
  var hasBusySpools: Bool { !busySpools.isEmpty }

  /// Takes over the spools that an earlier daemon left, but for those whose process still runs, and
  /// finds what such a process has finished by itself.
  func rescueLeftOvers() -> [KeptTake] {
    let before = busySpools
    busySpools = []
    var found: [KeptTake] = []
    let spools = folder.names(in: folder.spool)
    for name in spools {
      guard let take = spoolNumber(name), !running.contains(take) else { continue }
      if isLocked(folder.spool + "/" + name) {
        busySpools.insert(take)
      } else if takes.contains(where: { $0.take == take && $0.state == .finished }) {
        // Killed between giving the recording its name and deleting its spool.
        unlink(folder.spool + "/" + name)
      } else if let kept = rescue(take: take, as: .recovered) {
        found.append(kept)
      }
    }
    return before.isSubset(of: spools.compactMap(spoolNumber)) ? found : found + scan()
  }

  /// The takes of this daemon whose processes run; their spools are theirs.
  var running: Set<UInt32> = []

  /// The takes that are being made recordings now.
  var recovering: Set<UInt32> = []

  /// Whether a take process holds the file; it locks its spool as long as it lives.
  private func isLocked(_ path: String) -> Bool {
    // To write: network file systems lock nothing for readers.
    let descriptor = open(path, O_RDWR | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { return false }
    defer { close(descriptor) }
    return flock(descriptor, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK
  }

  /// The highest number among the kept takes.
  var highest: UInt32 { takes.map(\.take).max() ?? 0 }

  /// The kept takes, newest first; those whose file was moved away are forgotten.
  func list() -> [KeptTake] {
    forgetMoved()
    for index in takes.indices where takes[index].state != .finished { refresh(index) }
    return takes.sorted { $0.take > $1.take }
  }

  /// Forgets the takes whose files their clients have moved away.
  private func forgetMoved() {
    for take in takes where FileFacts(path: take.facts.path) == nil { forget(take) }
    takes = takes.filter { FileFacts(path: $0.facts.path) != nil }
  }

  func find(_ take: UInt32) -> KeptTake? { list().first { $0.take == take } }

  func add(_ kept: KeptTake) {
    for old in takes where old.take == kept.take && infoPath(old) != infoPath(kept) { forget(old) }
    takes.removeAll { $0.take == kept.take }
    takes.append(kept)
    folder.write(kept.text, to: infoPath(kept))
    if kept.state != .finished { expire() }
  }

  /// Deletes a kept take; false when there is none of that number.
  func remove(_ take: UInt32) throws(Refusal) -> Bool {
    guard let kept = find(take) else { return false }
    guard unlink(kept.facts.path) == 0 || errno == ENOENT else {
      let reason = String(cString: strerror(errno))
      throw Refusal(.folderUnusable, "\(kept.facts.path) could not be deleted: \(reason)")
    }
    forget(kept)
    takes.removeAll { $0.take == take }
    return true
  }

  /// Deletes the sound of a take that nobody wants.
  func discard(take: UInt32) {
    unlink(spool(of: take))
    discardHalf(take)
  }

  /// Deletes what a take's process has encoded so far.
  private func discardHalf(_ take: UInt32) {
    for name in folder.names(in: folder.recordings)
    where name.hasSuffix(".part") && takeNumber(in: name) == take {
      unlink(folder.recordings + "/" + name)
    }
  }

  /// Moves the spool of a take whose process is gone to the recovery area, and deletes the file that
  /// a killed process left half encoded.
  func rescue(take: UInt32, as state: KeptTake.State) -> KeptTake? {
    discardHalf(take)
    let spool = spool(of: take)
    guard let facts = FileFacts(path: spool) else { return nil }
    guard facts.size > Self.emptySpool else {
      // Not a single frame was written: there is nothing to recover.
      unlink(spool)
      return nil
    }
    mkdir(folder.recovery, 0o700)
    let path = folder.recovery + "/take-\(take).\(state.rawValue).wav"
    guard rename(spool, path) == 0 else { return nil }
    // Its day begins now: the machine may have been off since it was written.
    utimensat(AT_FDCWD, path, nil, 0)
    addSpool(take: take, state: state, path: path)
    expire()
    return takes.first { $0.take == take }
  }

  /// Deletes what its time is over for, and what is too much; at start and at each new take.
  func expire() {
    forgetMoved()
    for take in takes where take.state == .finished && age(take) > Double(retention) {
      _ = try? remove(take.take)
    }
    expireWaiting()
  }

  /// Deletes what has been in the recovery area for too long, and what is too much there.
  ///
  /// Recordings are left alone: they go at moments that a client sees coming.
  func expireWaiting() {
    forgetMoved()
    let waiting = takes.filter { $0.state != .finished }.sorted { age($0) < age($1) }
    let kept = waiting.prefix(Self.recoveryLimit).filter { age($0) <= Self.recoverySpan }
    for take in waiting.dropFirst(kept.count) { _ = try? remove(take.take) }
    if let oldest = kept.last { onNextExpiry?(Self.recoverySpan - age(oldest)) }
  }

  /// Seconds since a take's file was written.
  private func age(_ take: KeptTake) -> Double {
    guard let facts = FileFacts(path: take.facts.path) else { return 0 }
    var now = timespec()
    clock_gettime(CLOCK_REALTIME, &now)
    return Double(Int64(now.tv_sec) - facts.modified)
      + Double(Int64(now.tv_nsec) - facts.modifiedNanoseconds) / 1e9
  }

  private func addSpool(take: UInt32, state: KeptTake.State, path: String) {
    takes.removeAll { $0.take == take && $0.state != .finished }
    var kept = KeptTake(
      take: take, state: state,
      facts: RecordingFacts(
        path: path, duration: 0, bytes: 0, rate: 48_000, mediaType: "audio/wav", waveform: []),
      circumstances: .init(ending: Ending.interrupted.rawValue))
    if let text = folder.text(of: infoPath(kept)),
      let known = KeptTake(text: text, take: take, state: state)
    {
      kept = known
      kept.facts.path = path
    }
    takes.append(kept)
    refresh(takes.count - 1)
  }

  /// Reads the length of a spool again: a take process may still have been closing it.
  private func refresh(_ index: Int) {
    let path = takes[index].facts.path
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { return }
    defer { close(descriptor) }
    guard let facts = FileFacts(path: path), facts.size > 0,
      let wav = try? WavFile(
        size: UInt64(facts.size), toEnd: true,
        read: { offset, count in
          var bytes = [UInt8](repeating: 0, count: count)
          let got = pread(descriptor, &bytes, count, off_t(clamping: offset))
          return Array(bytes.prefix(max(0, got)))
        })
    else { return }
    takes[index].facts.duration = wav.duration
    takes[index].facts.bytes = UInt64(facts.size)
    takes[index].facts.rate = UInt32(wav.format.rate)
  }

  private func forget(_ take: KeptTake) { unlink(infoPath(take)) }

  private func spool(of take: UInt32) -> String { folder.spool + "/take-\(take).wav" }

  /// Where a take's facts are kept: by its number for a recording, whose file a client may move, and
  /// beside the sound that waits.
  private func infoPath(_ kept: KeptTake) -> String {
    guard kept.state != .finished else { return folder.recordings + "/take-\(kept.take).info" }
    return kept.facts.path.dropLast(4) + ".info"
  }

  private func soundPath(ofInfo path: String) -> String { path.dropLast(5) + ".wav" }
}

/// The number in a file name that begins with `take-N.`.
func takeNumber(in name: String) -> UInt32? {
  guard name.utf8.starts(with: "take-".utf8) else { return nil }
  let digits = name.utf8.dropFirst(5).prefix { $0 != UInt8(ascii: ".") && $0 != UInt8(ascii: "-") }
  return UInt32(String(decoding: Array(digits), as: UTF8.self))
}
