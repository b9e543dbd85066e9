import Glibc
import VoiceAudio
import VoiceCore
import VoiceIO
import VoiceTestKit

/// The microphone plugin in a real `voiced-source` process on a private desktop, as the daemon runs it.
final class MicrophoneRun {
  let ring: SoundRing
  let process: RigProcess
  private(set) var reports: [SourceReport] = []
  private let loop: EventLoop
  private var control: ControlChannel?
  private let wake: (read: Int32, write: Int32)

  /// Starts it and points it at a target.
  init(_ desktop: PrivateDesktop, target: String, options: String = "recording=1\n") throws {
    loop = try EventLoop()
    ring = try SoundRing.create()
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { throw IOError.last("make a pipe") }
    for end in ends {
      _ = fcntl(end, F_SETFD, FD_CLOEXEC)
      _ = fcntl(end, F_SETFL, O_NONBLOCK)
    }
    wake = (ends[0], ends[1])
    let (ours, theirs) = try ControlChannel.pair()
    defer { close(theirs) }
    process = try RigProcess(
      ChildCommand(
        path: DaemonUnderTest.productFolder + "/voiced-source",
        arguments: [DaemonUnderTest.productFolder + "/libvoiced-microphone.so", "microphone"],
        descriptors: [(theirs, 3), (ring.descriptor, 4), (wake.write, 5)],
        environment: desktop.environment), log: desktop.log("source"))
    control = try ControlChannel(
      loop: loop, descriptor: ours,
      onMessage: { [unowned self] in
        if let report = SourceReport($0) { reports.append(report) }
      }, onClose: {})
    send(.start(target: target, options: options))
  }

  deinit {
    process.end(SIGKILL)
    close(wake.read)
    close(wake.write)
  }

  func send(_ command: SourceCommand) { control?.send(command.message) }

  func wait(_ seconds: Double = 5, until condition: () throws -> Bool) rethrows -> Bool {
    try loop.turn(within: seconds, until: condition)
  }

  /// What it said it was linked to, one after another; "" is nothing.
  var links: [String] {
    reports.compactMap { if case .linked(let target) = $0 { target ?? "" } else { nil } }
  }

  /// Waits until it is linked to this; "" is nothing.
  func isLinked(to target: String, within seconds: Double = 5) -> Bool {
    wait(seconds) { links.last == target }
  }

  /// Waits until that much more sound has come, in seconds; false when it does not within `deadline`.
  func hears(_ seconds: Double, within deadline: Double = 5) -> Bool {
    let end = ring.written + UInt64(seconds * Double(SoundRing.rate))
    return wait(deadline) { ring.written >= end }
  }

  /// The last sound that came, for so many seconds.
  func sound(_ seconds: Double) -> [Float] {
    let count = Int(min(UInt64(seconds * Double(SoundRing.rate)), ring.written))
    let from = ring.written - UInt64(count)
    return [Float](unsafeUninitializedCapacity: count) { buffer, copied in
      if case .copied(let frames) = ring.read(from: from, into: buffer) { copied = frames }
    }
  }

  /// Nanoseconds that were lost.
  ///
  /// The figure only grows; a single look may fall into a change that a busy machine holds up.
  func lost() -> UInt64 {
    var most: UInt64 = 0
    _ = wait(0.1) {
      most = max(most, ring.lost)
      return false
    }
    return most
  }

  /// Waits until the last sound has tones of 400 and 900 Hz with these amplitudes: a busy machine's
  /// audio server drops a buffer now and then.
  func hasTones(_ low: Double, _ high: Double, exactly tolerance: Double = 0.02) -> Bool {
    wait { abs(tone(400) - low) < tolerance && abs(tone(900) - high) < tolerance }
  }

  /// Amplitude of a tone in the last sound, 0 to 1.
  func tone(_ hertz: Double, in seconds: Double = 0.25) -> Double {
    let sound = sound(seconds)
    var (re, im) = (0.0, 0.0)
    for (i, sample) in sound.enumerated() {
      let angle = 2 * Double.pi * hertz * Double(i) / Double(SoundRing.rate)
      re += Double(sample) * cos(angle)
      im += Double(sample) * sin(angle)
    }
    return 2 * (re * re + im * im).squareRoot() / Double(max(1, sound.count))
  }
}
