import Glibc
import VoiceAudio
import VoiceCore

/// Makes a recording of what an interruption or a crash left of a take, and deletes that.
struct Recovery {
  let folder: StateFolder
  let take: UInt32
  let format: Format
  let exports: [WaveformExport]

  /// The recording's facts; what was left stays where it is when this throws.
  func run() throws(TakeFailure) -> RecordingFacts {
    try folder.make()
    let left = try find()
    // A spool is locked while its process lives, and for ever after it is nobody's.
    guard flock(left.descriptor, LOCK_EX | LOCK_NB) == 0 else {
      throw TakeFailure(.noSuchTake, "take \(take) is still being recorded; stop it first")
    }
    let sound = try sound(of: left)
    // A spool cut after its first frames may be less than one frame of the recording.
    guard sound.frames >= UInt64(SoundRing.rate / format.rate) else {
      throw TakeFailure(.noSuchTake, "what was left of take \(take) holds no sound")
    }
    let recording = try Recording(folder, take: take, format: format, exports: exports)
    do throws(TakeFailure) {
      try encode(left, sound, into: recording)
      let facts = try recording.publish(missed: 0)
      left.remove()
      // What a crash left half encoded; whoever still encoded would hold the lock.
      for part in folder.files(.recordings, take: take, suffix: ".part") { unlink(part) }
      return facts
    } catch {
      recording.discard()
      throw error
    }
  }

  /// The longest of the take's files in the recovery folder, else in the spool.
  private func find() throws(TakeFailure) -> OpenFile {
    for place in [StateFolder.Place.recovery, .spool] {
      let files = folder.files(place, take: take, suffix: ".wav").compactMap { path in
        let descriptor = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        return descriptor < 0 ? nil : OpenFile(descriptor: descriptor, path: path)
      }
      if let longest = files.max(by: { $0.size < $1.size }) { return longest }
    }
    throw TakeFailure(.noSuchTake, "nothing was left of take \(take)")
  }

  private func sound(of left: OpenFile) throws(TakeFailure) -> WavFile {
    let fault: WavFault
    do throws(WavFault) {
      let sound = try WavFile(size: left.size, toEnd: true, read: left.read)
      if sound.format == Spool.header.format { return sound }
      fault = .unsupported(
        tag: sound.format.encoding.tag, bits: sound.format.encoding.bytes * 8)
    } catch {
      fault = error
    }
    throw TakeFailure(.notAudio, "\(left.path) is not what a take leaves: \(fault.text)")
  }

  private func encode(
    _ left: OpenFile, _ sound: WavFile, into recording: Recording
  ) throws(TakeFailure) {
    var chunk = [Float](repeating: 0, count: 8192)
    while recording.frames < sound.frames {
      let count = Int(min(UInt64(chunk.count), sound.frames - recording.frames))
      let offset = sound.start + recording.frames * 4
      let read = chunk.withUnsafeMutableBytes { raw in
        left.read(at: offset, into: UnsafeMutableRawBufferPointer(rebasing: raw[..<(count * 4)]))
      }
      guard read == count * 4 else { throw TakeFailure("read", left.path, code: EIO) }
      // A disk that lost power may give back anything.
      for index in 0..<count where !(chunk[index].magnitude <= 1) {
        chunk[index] = chunk[index].isFinite ? (chunk[index] > 0 ? 1 : -1) : 0
      }
      try recording.append(chunk, count: count)
    }
  }
}

extension StateFolder {
  /// Paths of a take's files in a folder, `take-7.…` and `take-7-2.…`, in no order.
  func files(_ place: Place, take: UInt32, suffix: String) -> [String] {
    guard let listing = opendir(folder(place)) else { return [] }
    defer { closedir(listing) }
    var paths: [String] = []
    while let entry = readdir(listing) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      let isOurs = name.hasPrefix("take-\(take).") || name.hasPrefix("take-\(take)-")
      if isOurs, name.hasSuffix(suffix) { paths.append(folder(place) + "/" + name) }
    }
    return paths
  }
}
