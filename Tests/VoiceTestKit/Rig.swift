import Glibc
import VoiceIO

/// A private desktop for one test: bus, audio server, microphones, clients and the daemon.
///
/// Everything that it started is ended by pid, in order, when it is closed or let go.
package final class Rig {
  package let desktop: PrivateDesktop
  package let bus: PrivateBus
  private let server: PrivateAudio?
  private var microphones: [VirtualMicrophone] = []
  private var daemons: [DaemonUnderTest] = []

  /// What there is of an audio server from the beginning.
  package enum Audio { case none, running, later }

  package convenience init(audio: Bool = true) throws { try self.init(audio ? .running : .none) }

  package init(_ audio: Audio) throws {
    desktop = try PrivateDesktop()
    bus = try PrivateBus(desktop)
    server =
      audio == .none ? nil : try PrivateAudio(desktop, isStarted: audio == .running)
  }

  deinit { close() }

  package var audio: PrivateAudio {
    get throws {
      guard let server else { throw RigFailure("this rig has no audio server") }
      return server
    }
  }

  package func microphone(_ name: String = "vmic", _ channels: [Float]...) throws
    -> VirtualMicrophone
  {
    let microphone = try VirtualMicrophone(audio, name: name, channels: channels)
    microphones.append(microphone)
    return microphone
  }

  /// Adds a microphone that was made elsewhere, to be unplugged with the rig.
  package func add(_ microphone: VirtualMicrophone) { microphones.append(microphone) }

  /// Kills the audio server with its policy; the microphones go with it, as a card's do.
  package func killAudio() throws {
    for microphone in microphones { microphone.kill() }
    try audio.end(SIGKILL)
  }

  /// Starts the audio server again and plugs the microphones in.
  package func restartAudio() throws {
    try audio.start()
    for microphone in microphones { try microphone.plug() }
  }

  package func client() throws -> BusClient { try BusClient(desktop.busAddress) }

  package func daemon(
    wrapper: [String] = [], arguments: [String] = [], environment: [String: String] = [:]
  ) throws -> DaemonUnderTest {
    let daemon = try DaemonUnderTest(
      desktop, wrapper: wrapper, arguments: arguments, environment: environment)
    daemons.append(daemon)
    return daemon
  }

  /// Writes the daemon's configuration file.
  package func configure(_ lines: [String]) throws {
    let folder = desktop.config + "/voiced"
    _ = try desktop.folder.folder("c/voiced")
    try TextFile.write(folder + "/voiced.conf", lines.map { $0 + "\n" }.joined())
  }

  package func close() {
    for daemon in daemons {
      daemon.stop()
      daemon.process.end()
      daemon.endLeftOvers()
    }
    for microphone in microphones { try? microphone.unplug() }
    server?.end()
    bus.process.end()
    desktop.folder.remove()
  }
}
