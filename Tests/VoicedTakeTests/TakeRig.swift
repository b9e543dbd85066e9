import Glibc
import VoiceAudio
import VoiceCore
import VoiceIO
import VoiceTestKit

/// A real `voiced-take` with a ring and a control socket, directed as the daemon would.
final class TakeRig {
  let ring: SoundRing
  let folder: TemporaryFolder
  let process: RigProcess
  private var control: Int32
  private var writer: RingWriter
  private var pushed = 0

  /// The state folder it is told.
  var state: String { folder.path + "/state" }
  var log: String { folder.path + "/log" }

  /// Folder of the built programs: that of the test bundle.
  static var products: String {
    for line in CommandLine.arguments where line.utf8.contains(UInt8(ascii: "/")) {
      let folder = line.split(separator: "/").dropLast().map { "/" + $0 }.joined()
      if access(folder + "/voiced-take", X_OK) == 0 { return folder }
    }
    return ".build/debug"
  }

  static var program: String { products + "/voiced-take" }

  /// Starts it; `wrapper` are words before the program's own.
  init(_ folder: TemporaryFolder? = nil, wrapper: [String] = []) throws {
    let folder = try folder ?? TemporaryFolder()
    self.folder = folder
    ring = try SoundRing.create()
    writer = RingWriter(ring: ring, wake: -1)
    let (ours, theirs) = try ControlChannel.pair()
    defer { close(theirs) }
    control = ours
    let words = wrapper + [Self.program]
    process = try RigProcess(
      ChildCommand(
        path: words[0], arguments: Array(words.dropFirst()),
        descriptors: [(theirs, 3), (ring.descriptor, 4)]),
      name: "voiced-take", log: folder.path + "/log")
  }

  deinit {
    hangUp()
    process.end(SIGKILL)
  }

  func send(_ command: TakeCommand) {
    let bytes = command.message.bytes
    _ = Glibc.send(control, bytes, bytes.count, Int32(MSG_NOSIGNAL))
  }

  func open(_ format: Format, take: UInt32 = 7, waveforms: [String] = [], in state: String? = nil) {
    send(
      .open(folder: state ?? self.state, take: take, format: format.rawValue, waveforms: waveforms))
  }

  func hangUp() {
    if control >= 0 { close(control) }
    control = -1
  }

  /// Puts frames into the ring.
  func push(_ frames: [Float]) {
    frames.withUnsafeBufferPointer { buffer in
      var plane = buffer.baseAddress
      writer.push(&plane, frames: frames.count, time: UInt64(pushed) * 125_000 / 6)
    }
    pushed += frames.count
  }

  /// How often the spool was told to be closed.
  private(set) var closings = 0

  /// The next report but for `closed`; `nil` when none comes in so many seconds, or the process
  /// hangs up.
  func report(within seconds: Double = 10) -> TakeReport? {
    var packet = [UInt8](repeating: 0, count: ControlMessage.limit)
    let end = EventLoop.now + UInt64(seconds * 1e9)
    while EventLoop.now < end {
      let count = recv(control, &packet, packet.count, Int32(MSG_DONTWAIT))
      if count > 0 {
        let report = ControlMessage(bytes: packet.prefix(count)).flatMap { TakeReport($0) }
        guard report == .closed else { return report }
        closings += 1
        continue
      }
      if count == 0 || errno != EAGAIN && errno != EINTR { return nil }
      var entry = pollfd(fd: control, events: Int16(POLLIN), revents: 0)
      poll(&entry, 1, 50)
    }
    return nil
  }

  func ready() throws -> RecordingFacts {
    guard case .ready(let facts)? = report() else { throw RigFailure("no recording came") }
    return facts
  }

  func kept() throws -> RecordingFacts {
    guard case .kept(let facts)? = report() else { throw RigFailure("nothing was kept") }
    return facts
  }

  /// The error name of the next report; "" when it is none.
  func failure(within seconds: Double = 10) -> String {
    guard case .failed(let error, _)? = report(within: seconds) else { return "" }
    return error
  }

  /// Files below the state folder, by path, sorted.
  func files(_ root: String? = nil) -> [String] { filesBelow(root ?? state) }

  /// Waits until something is so.
  func wait(_ seconds: Double = 10, until condition: () -> Bool) throws {
    let end = EventLoop.now + UInt64(seconds * 1e9)
    while !condition() {
      guard EventLoop.now < end else { throw RigFailure("it did not come in \(seconds) s") }
      // Looks again: what another process writes into a mapped or open file, nothing tells.
      usleep(2000)
    }
  }

  /// Waits for the spool's header to tell so many frames.
  func waitForSpool(frames: UInt64, take: UInt32 = 7) throws {
    try wait { (spoolFrames("\(state)/spool/take-\(take).wav") ?? 0) >= frames }
  }
}

/// Frames that the header of a WAV file tells, as any reader takes it.
func spoolFrames(_ path: String, toEnd: Bool = false) -> UInt64? {
  let descriptor = open(path, O_RDONLY | O_CLOEXEC)
  guard descriptor >= 0 else { return nil }
  defer { close(descriptor) }
  var facts = stat()
  guard fstat(descriptor, &facts) == 0 else { return nil }
  let file = try? WavFile(size: UInt64(facts.st_size), toEnd: toEnd) { offset, count in
    [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
      filled = max(0, pread(descriptor, buffer.baseAddress, count, off_t(offset)))
    }
  }
  return file?.frames
}

/// Files below a folder, relative to it, sorted.
func filesBelow(_ root: String) -> [String] {
  guard let listing = opendir(root) else { return [] }
  defer { closedir(listing) }
  var found: [String] = []
  while let entry = readdir(listing) {
    let name = withUnsafePointer(to: &entry.pointee.d_name) {
      $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
    }
    guard name != ".", name != ".." else { continue }
    if entry.pointee.d_type == UInt8(DT_DIR) {
      found += filesBelow(root + "/" + name).map { name + "/" + $0 }
    } else {
      found.append(name)
    }
  }
  return found.sorted()
}
