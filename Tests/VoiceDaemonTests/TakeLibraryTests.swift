import Glibc
import Testing
import VoiceAudio
import VoiceCore
import VoiceTestKit

@testable import VoiceDaemon

/// What earlier runs and interruptions left, and for how long it stays.
@Suite struct TakeLibraryTests {
  private let temporary: TemporaryFolder
  private let folder: StateFolder

  init() throws {
    temporary = try TemporaryFolder()
    folder = StateFolder(path: temporary.path + "/voiced")
    folder.make()
    for path in [folder.spool, folder.recordings, folder.recovery] { mkdir(path, 0o700) }
  }

  private func library(retention: Double = 86_400) -> TakeLibrary {
    TakeLibrary(folder: folder, retention: retention)
  }

  /// A sound file of half a second, that many seconds old.
  private func sound(_ path: String, age: Int = 0) throws {
    try WaveFile.write(path, channels: [Sound.sine(0.5)])
    var times = [timespec(), timespec()]
    clock_gettime(CLOCK_REALTIME, &times[0])
    times[0].tv_sec -= age
    times[1] = times[0]
    utimensat(AT_FDCWD, path, times, 0)
  }

  private func finished(_ take: UInt32, age: Int = 0) throws -> KeptTake {
    let path = folder.recordings + "/take-\(take).wav"
    try sound(path, age: age)
    return KeptTake(
      take: take, state: .finished,
      facts: RecordingFacts(
        path: path, duration: 0.5, bytes: 1, rate: 48_000, mediaType: "audio/wav", waveform: []),
      circumstances: .init(ending: "sent"))
  }

  private func exists(_ path: String) -> Bool { access(path, F_OK) == 0 }

  @Test("sound that an earlier run left long ago is found, and kept for its day from now on")
  func foundLate() throws {
    try sound(folder.spool + "/take-3.wav", age: 60 * 3600)
    let found = library().load()
    #expect(found.map(\.take) == [3] && found.first.map { exists($0.facts.path) } == true)
    let next = library()
    #expect(next.load().isEmpty)
    #expect(next.list().map(\.take) == [3])
  }

  @Test("a recording whose facts a power cut has taken is listed, and goes when its time is over")
  func withoutFacts() throws {
    let kept = try finished(6)
    try TextFile.write(folder.recordings + "/take-6.info", "")
    let next = library()
    #expect(next.load().isEmpty)
    #expect(next.list().map(\.take) == [6] && next.find(6)?.facts.path == kept.facts.path)
    try sound(kept.facts.path, age: 90_000)
    _ = library().load()
    #expect(!exists(kept.facts.path))
  }

  @Test("a finished take is listed by this run and the next, newest first, until its file is moved")
  func finishedTakes() throws {
    let library = library()
    let takes = [try finished(2), try finished(10), try finished(9)]
    for take in takes { library.add(take) }
    #expect(library.list().map(\.take) == [10, 9, 2])
    let next = self.library()
    #expect(next.load().isEmpty)
    #expect(next.list() == [takes[1], takes[2], takes[0]])
    #expect(next.highest == 10)
    rename(takes[1].facts.path, temporary.path + "/mine.wav")
    #expect(next.list().map(\.take) == [9, 2])
    #expect(!exists(folder.recordings + "/take-10.info"))
  }

  @Test("what a crash left in the spool is moved to the recovery area and told once")
  func leftInTheSpool() throws {
    try sound(folder.spool + "/take-4.wav")
    // Not a frame was written of this one, and the other is none of ours.
    try TextFile.write(folder.spool + "/take-5.wav", "RIFF")
    try TextFile.write(folder.spool + "/other.txt", "x")
    let library = library()
    let found = library.load()
    #expect(found.map(\.take) == [4] && found.first?.state == .recovered)
    #expect(abs((found.first?.facts.duration ?? 0) - 0.5) < 0.001)
    #expect(found.first?.facts.path == folder.recovery + "/take-4.recovered.wav")
    #expect(!exists(folder.spool + "/take-4.wav") && !exists(folder.spool + "/take-5.wav"))
    #expect(exists(folder.spool + "/other.txt"))
    let next = self.library()
    #expect(next.load().isEmpty && next.list().map(\.take) == [4])
  }

  @Test("an unfinished recording of an earlier run is removed, its spool recovered")
  func unfinished() throws {
    try TextFile.write(folder.recordings + "/take-3.m4a.part", "x")
    try sound(folder.spool + "/take-3.wav")
    #expect(library().load().map(\.take) == [3])
    #expect(!exists(folder.recordings + "/take-3.m4a.part"))
  }

  @Test("a take that was killed before its recording had its name is recovered, not forgotten")
  func unnamed() throws {
    let kept = try finished(3)
    library().add(kept)
    rename(kept.facts.path, kept.facts.path + ".part")
    try sound(folder.spool + "/take-3.wav")
    let library = library()
    #expect(library.load().map(\.take) == [3])
    #expect(library.find(3)?.state == .recovered)
    #expect(!exists(folder.recordings + "/take-3.info"))
  }

  @Test("what an earlier take process finishes after the start is found, once")
  func finishedLate() throws {
    try sound(folder.spool + "/take-3.wav")
    try sound(folder.spool + "/take-4.wav")
    let locks = [3, 4].map { open(folder.spool + "/take-\($0).wav", O_RDONLY | O_CLOEXEC) }
    for lock in locks { flock(lock, LOCK_EX) }
    let library = library()
    #expect(library.load().isEmpty && library.hasBusySpools)
    // One becomes a recording, the other is set aside.
    let other = TakeLibrary(folder: folder, retention: 1000)
    other.add(try finished(3))
    unlink(folder.spool + "/take-3.wav")
    rename(folder.spool + "/take-4.wav", folder.recovery + "/take-4.interrupted.wav")
    for lock in locks { close(lock) }
    // This daemon's own take is not among them.
    library.running = [5]
    other.add(try finished(5))
    let found = library.rescueLeftOvers().sorted { $0.take < $1.take }
    #expect(found.map(\.take) == [3, 4] && found.map(\.state) == [.finished, .interrupted])
    #expect(!library.hasBusySpools && library.rescueLeftOvers().isEmpty)
  }

  @Test("a take that nobody wants goes with what was encoded of it")
  func discarded() throws {
    try sound(folder.spool + "/take-3.wav")
    for name in ["/take-3.m4a.part", "/take-33.m4a.part"] {
      try TextFile.write(folder.recordings + name, "x")
    }
    library().discard(take: 3)
    #expect(folder.names(in: folder.spool).isEmpty)
    #expect(folder.names(in: folder.recordings) == ["take-33.m4a.part"])
  }

  @Test("what is known of a set-aside take outlives the daemon, and goes with its sound")
  func setAside() throws {
    let path = folder.recovery + "/take-3.interrupted.wav"
    try sound(path)
    let info = folder.recovery + "/take-3.interrupted.info"
    var kept = try finished(3)
    kept.state = .interrupted
    kept.facts.path = path
    kept.facts.waveform = [0.5]
    kept.circumstances.source = "speech"
    library().add(kept)
    let next = library()
    #expect(next.load().isEmpty)
    #expect(next.find(3)?.circumstances == kept.circumstances)
    #expect(next.find(3)?.facts.waveform == [0.5])
    // As a recording it has its facts elsewhere.
    next.add(try finished(3))
    #expect(!exists(info) && exists(folder.recordings + "/take-3.info"))
    next.add(kept)
    #expect(exists(info) && !exists(folder.recordings + "/take-3.info"))
    unlink(path)
    _ = library().load()
    #expect(!exists(info))
  }

  @Test("recordings go when their retention is over, set-aside sound after a day")
  func expiry() throws {
    let library = library(retention: 100)
    library.add(try finished(1, age: 101))
    library.add(try finished(2, age: 50))
    try sound(folder.recovery + "/take-3.interrupted.wav", age: 86_401)
    try sound(folder.recovery + "/take-4.recovered.wav", age: 86_300)
    let next = self.library(retention: 100)
    _ = next.load()
    #expect(next.list().map(\.take) == [4, 2])
    for name in ["/recordings/take-1.wav", "/recordings/take-1.info"] {
      #expect(!exists(folder.path + name))
    }
    #expect(!exists(folder.recovery + "/take-3.interrupted.wav"))
    #expect(next.find(4)?.state == .recovered)
  }

  @Test("the moment at which the oldest set-aside sound goes is told, and recordings do not count")
  func nextExpiry() throws {
    let library = library(retention: 100)
    var told: [Double] = []
    library.onNextExpiry = { told.append($0) }
    library.add(try finished(1, age: 101))
    _ = library.load()
    #expect(told.isEmpty)
    library.add(try finished(2, age: 101))
    let oldest = folder.recovery + "/take-3.interrupted.wav"
    try sound(oldest, age: 86_300)
    try sound(folder.recovery + "/take-4.recovered.wav", age: 400)
    let next = self.library(retention: 100_000)
    next.onNextExpiry = { told.append($0) }
    _ = next.load()
    #expect((98...100).contains(told.last ?? 0), "\(told)")
    try sound(oldest, age: 86_401)
    next.expireWaiting()
    #expect(!exists(oldest) && next.list().map(\.take) == [4, 2])
    #expect((85_998...86_000).contains(told.last ?? 0), "\(told)")
  }

  @Test("of set-aside takes the twenty newest stay")
  func bound() throws {
    for take in 1...25 {
      try sound(folder.recovery + "/take-\(take).interrupted.wav", age: 1000 - take)
    }
    let library = library()
    _ = library.load()
    #expect(library.list().map(\.take) == (6...25).reversed().map { UInt32($0) })
    // Another one comes: the oldest goes.
    try sound(folder.spool + "/take-26.wav")
    #expect(library.rescue(take: 26, as: .interrupted)?.take == 26)
    library.expire()
    #expect(library.list().map(\.take) == (7...26).reversed().map { UInt32($0) })
  }

  @Test("the spool of a take whose process is gone is rescued; an empty one is removed")
  func rescue() throws {
    let library = library()
    #expect(library.rescue(take: 1, as: .interrupted) == nil)
    try sound(folder.spool + "/take-1.wav")
    rmdir(folder.recovery)
    let kept = try #require(library.rescue(take: 1, as: .interrupted))
    #expect(kept.state == .interrupted && kept.circumstances.ending == "interrupted")
    #expect(exists(folder.recovery + "/take-1.interrupted.wav"))
    try WaveFile.write(folder.spool + "/take-2.wav", channels: [[0]], seconds: 0)
    #expect(library.rescue(take: 2, as: .interrupted) == nil)
    #expect(!exists(folder.spool + "/take-2.wav"))
    #expect(library.list().map(\.take) == [1])
  }

  @Test("a take is deleted with what belongs to it, and deleting it again is told")
  func remove() throws {
    let library = library()
    library.add(try finished(8))
    #expect(try library.remove(8))
    #expect(!exists(folder.recordings + "/take-8.wav"))
    #expect(!exists(folder.recordings + "/take-8.info"))
    #expect(try !library.remove(8) && library.list().isEmpty)
  }

  @Test("numbers in file names")
  func numbers() {
    #expect(takeNumber(in: "take-12.wav") == 12)
    #expect(takeNumber(in: "take-12.interrupted.wav") == 12)
    #expect(takeNumber(in: "take-12-2.m4a") == 12)
    for name in ["take-.wav", "take-x.wav", "take-99999999999.wav", "x-1.wav", ""] {
      #expect(takeNumber(in: name) == nil, "\(name)")
    }
  }
}
