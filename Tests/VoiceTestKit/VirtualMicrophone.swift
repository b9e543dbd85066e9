import Glibc
import VoiceIO

/// A microphone without hardware: a player that is itself the source node.
///
/// It plugs and unplugs with its process.
package final class VirtualMicrophone {
  package let name: String
  private let audio: PrivateAudio
  private let file: String
  private let arguments: [String]
  private var process: RigProcess?

  /// Plugs it in and waits until it is a node.
  ///
  /// `channels` holds samples at 48 kHz, full scale 1, played again and again for `seconds`; after
  /// that it is unplugged by itself.
  package init(
    _ audio: PrivateAudio, name: String = "vmic", channels: [[Float]], positions: [String] = [],
    priority: Int = 1000, seconds: Double = 60
  ) throws {
    self.audio = audio
    self.name = name
    file = "\(audio.desktop.folder.path)/\(name).wav"
    try WaveFile.write(file, channels: channels, seconds: seconds)
    let properties = """
      { media.class=Audio/Source node.name="\(name)" node.description="\(name)" \
      priority.session=\(priority) node.latency=1024/48000 state.restore-props=false \
      state.restore-target=false }
      """
    let map = positions.isEmpty ? [] : ["--channel-map", positions.joined(separator: ",")]
    arguments = ["-p", "--target", "0", "--latency", "1024", "-P", properties] + map + [file]
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
        path: "pw-cat", arguments: arguments, environment: audio.desktop.environment),
      log: audio.desktop.log("microphone"))
    guard try waitUntil(3, { try audio.node(named: name) != nil }) else {
      throw RigFailure(
        "the virtual microphone \(name) did not appear: \(audio.desktop.logText("microphone"))")
    }
    guard try waitUntil(2, { try audio.defaultSource() != nil }) else {
      throw RigFailure("no default source appeared with \(name)")
    }
  }

  /// Unplugs it and waits until its node is gone.
  package func unplug() throws {
    process?.end()
    process = nil
    _ = try waitUntil(2) { try audio.node(named: name) == nil }
  }

  package func mute(_ on: Bool) throws {
    guard let node = try audio.node(named: name) else { return }
    _ = try audio.tool("wpctl", "set-mute", "\(node.id)", on ? "1" : "0")
  }
}
