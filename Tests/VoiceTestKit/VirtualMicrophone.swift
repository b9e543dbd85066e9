import Glibc
import VoiceIO

/// A microphone without hardware: a player that is itself the source node.
///
/// It plugs and unplugs with its process.
package final class VirtualMicrophone {
  package let name: String
  private let audio: PrivateAudio
  private let command: String
  private let arguments: [String]
  private let waitsForDefault: Bool
  private var process: RigProcess?

  /// Plugs it in and waits until it is a node.
  ///
  /// `channels` holds samples at 48 kHz, full scale 1, played again and again for `seconds`; after
  /// that it is unplugged by itself. A microphone that is there before the session policy does not
  /// wait until there is a default one.
  package init(
    _ audio: PrivateAudio, name: String = "vmic", channels: [[Float]], positions: [String] = [],
    priority: Int = 1000, seconds: Double = 60, waitsForDefault: Bool = true
  ) throws {
    self.audio = audio
    self.waitsForDefault = waitsForDefault
    self.name = name
    let file = "\(audio.desktop.folder.path)/\(name).wav"
    try WaveFile.write(file, channels: channels, seconds: seconds)
    let properties = """
      { media.class=Audio/Source node.name="\(name)" node.description="\(name)" \
      priority.session=\(priority) node.latency=1024/48000 state.restore-props=false \
      state.restore-target=false }
      """
    let map = positions.isEmpty ? [] : ["--channel-map", positions.joined(separator: ",")]
    command = "pw-cat"
    arguments = ["-p", "--target", "0", "--latency", "1024", "-P", properties] + map + [file]
    try plug()
  }

  /// Plugs in what a command makes: a node whose name begins with `name`, for as long as it runs.
  package init(
    _ audio: PrivateAudio, name: String, command: String, arguments: [String]
  ) throws {
    self.audio = audio
    self.name = name
    self.command = command
    self.arguments = arguments
    waitsForDefault = true
    try plug()
  }

  package convenience init(
    _ audio: PrivateAudio, name: String = "vmic", samples: [Float], seconds: Double = 60
  ) throws {
    try self.init(audio, name: name, channels: [samples], seconds: seconds)
  }

  deinit { process?.end() }

  package var isPlugged: Bool { process?.isRunning == true }

  /// Plugs it in; its sound begins anew.
  package func plug() throws {
    guard !isPlugged else { return }
    process = try RigProcess(
      ChildCommand(
        path: command, arguments: arguments, environment: audio.desktop.environment),
      log: audio.desktop.log("microphone"))
    process?.hurry()
    guard try waitUntil(10, { try node() != nil }) else {
      throw RigFailure(
        "the virtual microphone \(name) did not appear: \(audio.desktop.logText("microphone"))")
    }
    guard try !waitsForDefault || waitUntil(10, { try audio.defaultSource() != nil }) else {
      throw RigFailure("no default source appeared with \(name)")
    }
  }

  /// Unplugs it and waits until its node is gone.
  package func unplug() throws {
    process?.end()
    process = nil
    _ = try waitUntil(2) { try node() == nil }
  }

  private func node() throws -> PrivateAudio.Entry? {
    try audio.graph().first {
      $0.type == "Node" && $0.properties["node.name"]?.hasPrefix(name) == true
    }
  }

  /// Ends it at once, whatever the audio server does.
  package func kill() {
    process?.end(SIGKILL)
    process = nil
  }

  package func mute(_ on: Bool) throws {
    guard let node = try node() else { return }
    _ = try audio.tool("wpctl", "set-mute", "\(node.id)", on ? "1" : "0")
  }
}
