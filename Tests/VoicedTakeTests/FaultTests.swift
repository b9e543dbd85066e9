import Glibc
import Testing
import VoiceCore
import VoiceIO
import VoiceTestKit

/// Whether a test may mount a small disk of its own.
private let canMount = (try? run(["unshare", "-rm", "true"]).status) == .exited(0)

@Suite(.serialized) struct FaultTests {
  @Test(
    "a full disk ends the take by name, with a valid file of what fits",
    .enabled(if: canMount, "this system lets no test mount a disk of 1 MiB"),
    arguments: [Format.m4a, .wav])
  func diskFull(format: Format) throws {
    let folder = try TemporaryFolder()
    let disk = try folder.folder("disk")
    let mount = "mount -t tmpfs -o size=1m disk \(disk) && exec \"$0\""
    let rig = try TakeRig(folder, wrapper: ["unshare", "-rm", "sh", "-c", mount])
    rig.open(format, in: disk)
    rig.send(.begin(frame: 0))
    let sound = clicks(frames: 6 * 48_000)
    #expect(pushUntilFailure(rig, sound) == "DiskFull")
    let inside = "/proc/\(rig.process.pid)/root\(disk)"
    #expect(rig.files(inside) == ["spool/take-7.wav"])
    let heard = try Heard(inside + "/spool/take-7.wav")
    #expect(heard.samples.count > 100_000)
    #expect(heard.samples == Array(sound.prefix(heard.samples.count)))
    #expect(heard.warnings == "")
    // No second failure, and what fits can be set aside.
    rig.send(format == .wav ? .keep : .setAside)
    let facts = try rig.kept()
    #expect(Int((facts.duration * 48_000).rounded()) == heard.samples.count)
  }

  /// Pushes second after second until a failure is told; answers its name, "" when none is.
  private func pushUntilFailure(_ rig: TakeRig, _ sound: [Float]) -> String {
    for start in stride(from: 0, to: sound.count, by: 48_000) {
      rig.push(Array(sound[start..<min(start + 48_000, sound.count)]))
      let failure = rig.failure(within: 1)
      if failure != "" { return failure }
    }
    return ""
  }

  @Test(
    "a quota, or a limit on the size of files, ends the take as a full disk does",
    arguments: ["quota", "limit"])
  func limited(by what: String) throws {
    let folder = try TemporaryFolder()
    let limit = 500_000
    let rig = try TakeRig(
      folder,
      wrapper: what == "limit"
        ? ["prlimit", "--fsize=\(limit)"] : [try Quota.program(folder, bytes: limit)])
    rig.open(.m4a)
    rig.send(.begin(frame: 0))
    let sound = clicks(frames: 4 * 48_000)
    #expect(pushUntilFailure(rig, sound) == "DiskFull")
    #expect(rig.files() == ["spool/take-7.wav"])
    let heard = try Heard(rig.state + "/spool/take-7.wav")
    #expect(heard.samples.count > 100_000 && heard.warnings == "")
    #expect(heard.samples == Array(sound.prefix(heard.samples.count)))
    rig.send(.setAside)
    #expect(Int((try rig.kept().duration * 48_000).rounded()) == heard.samples.count)
    #expect(rig.files() == ["recovery/take-7.interrupted.wav"])
  }

  @Test(
    "a read-only folder is named before anything is recorded",
    .enabled(if: canMount, "this system lets no test mount a disk of its own"))
  func readOnly() throws {
    let folder = try TemporaryFolder()
    let disk = try folder.folder("disk")
    let mount = "mount -t tmpfs -o ro disk \(disk) && exec \"$0\""
    let rig = try TakeRig(folder, wrapper: ["unshare", "-rm", "sh", "-c", mount])
    rig.open(.m4a, in: disk + "/state")
    #expect(rig.failure() == "FolderUnusable")
    rig.send(.keep)
    #expect(rig.failure() == "FolderUnusable")
    rig.hangUp()
    #expect(rig.process.wait(5) == .exited(0))
  }

  @Test("a missing folder is made, with those above it")
  func missing() throws {
    let folder = try TemporaryFolder()
    let rig = try TakeRig(folder)
    rig.open(.wav16k, in: folder.path + "/a/b/c")
    rig.send(.begin(frame: 0))
    rig.push(clicks(frames: 4800))
    rig.send(.keep)
    #expect(try rig.ready().path == folder.path + "/a/b/c/recordings/take-7.wav")
  }

  @Test("a file in a folder's place is named", arguments: ["", "/recordings", "/spool"])
  func replaced(place: String) throws {
    let rig = try TakeRig()
    if place != "" { #expect(mkdir(rig.state, 0o700) == 0) }
    try write([1], to: rig.state + place)
    rig.open(.m4a)
    #expect(rig.failure() == "FolderUnusable")
    #expect(bytes(of: rig.state + place) == [1])
  }

  @Test("a folder deleted in mid-take costs nothing")
  func deleted() throws {
    for command in [TakeCommand.keep, .setAside] {
      let rig = try TakeRig()
      rig.open(.flac)
      rig.send(.begin(frame: 0))
      rig.push(clicks(frames: 72_000))
      try rig.waitForSpool(frames: 72_000)
      #expect(rename(rig.state, rig.folder.path + "/gone") == 0)
      _ = try run(["rm", "-r", rig.folder.path + "/gone"])
      rig.push(clicks(frames: 24_000))
      rig.send(command)
      let facts = command == .keep ? try rig.ready() : try rig.kept()
      #expect(facts.duration == 2)
      #expect(try Heard(facts.path).duration == 2)
    }
  }

  @Test("words that make no sense are refused by name, and hurt nothing")
  func nonsense() throws {
    let rig = try TakeRig()
    rig.send(.begin(frame: .max))
    rig.send(.cut(frame: 0))
    rig.send(.keep)
    #expect(rig.failure() == "InvalidValue")
    rig.send(.open(folder: "relative", take: 7, format: "m4a", waveforms: []))
    #expect(rig.failure() == "InvalidValue")
    let other = try TakeRig()
    other.send(.open(folder: other.state, take: 7, format: "mp9", waveforms: []))
    #expect(other.failure() == "InvalidValue")
    #expect(other.files() == [])
  }

  @Test("memory does not grow with the take", arguments: [Format.m4a, .opus])
  func memory(format: Format) throws {
    let rig = try TakeRig()
    rig.open(format)
    rig.send(.begin(frame: 0))
    func resident() -> Int {
      let text = String(decoding: bytes(of: "/proc/\(rig.process.pid)/statm"), as: UTF8.self)
      return (text.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0) * 4
    }
    // Three minutes: FFmpeg's index of an m4a would take 370 KiB more in them.
    let stretch = clicks(frames: 6 * 48_000)
    var before = 0
    for number in 1...36 {
      rig.push(stretch)
      try rig.waitForSpool(frames: UInt64(number * stretch.count))
      if number == 6 { before = resident() }
    }
    #expect(isSanitized || resident() - before < 250)
    rig.send(.keep)
    #expect(try rig.ready().duration == 216)
  }
}
