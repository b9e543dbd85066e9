import Glibc
import VoiceCore

@testable import VoiceDaemon
@testable import voiced_take

/// What a crash may have left in the state folder, given to the daemon and to `voiced-take`.
enum RecoveryTarget {
  /// In `TMPDIR`, which `tools/fuzz` sets and removes: what ends by a crash cannot.
  private static let folder: String = {
    let parent = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
    var template = Array((parent + "/voiced-fuzz.XXXXXX").utf8CString)
    let made = template.withUnsafeMutableBufferPointer { buffer in
      buffer.baseAddress.flatMap { mkdtemp($0) }.map { String(cString: $0) }
    }
    guard let made else { broken("there is a folder to work in") }
    for place in places { mkdir(made + "/" + place, 0o700) }
    atexit {
      for place in RecoveryTarget.places { rmdir(RecoveryTarget.folder + "/" + place) }
      rmdir(RecoveryTarget.folder)
    }
    return made
  }()
  private static let places = ["spool", "recordings", "recovery"]

  /// The first byte says which file it is.
  static func run(_ input: [UInt8]) -> Int32 {
    guard let kind = input.first else { return 0 }
    let content = Array(input.dropFirst())
    let files = ["spool/take-7.wav", "recovery/take-7.interrupted.wav", "recordings/take-7.info"]
    write(content, to: folder + "/" + files[Int(kind) % files.count])
    let library = TakeLibrary(folder: VoiceDaemon.StateFolder(path: folder), retention: 3600)
    for kept in library.load() + library.list() {
      if !kept.facts.duration.isFinite || kept.facts.duration < 0 {
        broken("a kept take lasts a number of seconds")
      }
    }
    if kind % 3 < 2, content.count < 1 << 16 { recover() }
    empty()
    return 0
  }

  private static func recover() {
    let recovery = Recovery(
      folder: voiced_take.StateFolder(path: folder), take: 7, format: .wav16k, exports: [])
    guard let facts = try? recovery.run() else { return }
    if facts.duration <= 0 || facts.bytes < 44 { broken("a recording holds sound") }
    if facts.waveform.contains(where: { !(0...1).contains($0) }) { broken("peaks are 0 to 1") }
  }

  private static func write(_ bytes: [UInt8], to path: String) {
    let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { broken("a file can be written") }
    _ = bytes.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
    close(descriptor)
  }

  private static func empty() {
    let state = VoiceDaemon.StateFolder(path: folder)
    for place in [state.spool, state.recordings, state.recovery] {
      for name in state.names(in: place) { unlink(place + "/" + name) }
    }
  }
}
