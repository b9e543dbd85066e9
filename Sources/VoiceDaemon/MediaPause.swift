import VoiceCore
import VoiceIO

/// Pauses the media players that are playing while a take runs, and resumes exactly those.
///
/// Nobody waits for a player: one that does not answer is left alone.
final class MediaPause {
  private static let prefix = "org.mpris.MediaPlayer2."
  /// Stands for whichever player was used last: what it resumes need not be what it paused.
  private static let proxy = prefix + "playerctld"
  private static let path = "/org/mpris/MediaPlayer2"
  private static let player = "org.mpris.MediaPlayer2.Player"
  private static let deadline = 2.0

  private let bus: Bus
  /// Recordings that want silence now.
  private var wanted = 0
  /// Unique names: a player that leaves is neither started again nor mistaken for the next of its
  /// name.
  private var paused: [String] = []

  init(bus: Bus) { self.bus = bus }

  func begin() {
    wanted += 1
    askBus("ListNames") { [weak self] answer in
      guard let self, case .array(_, let names) = answer else { return }
      for case .string(let name) in names
      where name.utf8.starts(with: Self.prefix.utf8) && name != Self.proxy {
        askBus("GetNameOwner", [.string(name)]) { [weak self] in
          if let owner = $0.text { self?.pauseIfPlaying(owner) }
        }
      }
    }
  }

  func end() {
    wanted = max(0, wanted - 1)
    guard wanted == 0 else { return }
    for owner in paused { call(owner, Self.player, "Play") }
    paused = []
  }

  private func pauseIfPlaying(_ owner: String) {
    call(
      owner, WireNames.properties, "Get", [.string(Self.player), .string("PlaybackStatus")]
    ) { [weak self] status in
      // Who was paused already and plays again was told to by the user.
      guard let self, wanted > 0, status.text == "Playing", !paused.contains(owner) else { return }
      paused.append(owner)
      call(owner, Self.player, "Pause")
    }
  }

  private func askBus(
    _ member: String, _ arguments: [BusValue] = [], then: @escaping (BusValue) -> Void
  ) {
    call(
      "org.freedesktop.DBus", "org.freedesktop.DBus", member, arguments,
      path: "/org/freedesktop/DBus", then: then)
  }

  private func call(
    _ name: String, _ interface: String, _ member: String, _ arguments: [BusValue] = [],
    path: String = MediaPause.path, then: @escaping (BusValue) -> Void = { _ in }
  ) {
    bus.call(
      destination: name, path: path, interface: interface, member: member, arguments,
      timeout: Self.deadline
    ) { result in
      if case .success(let values) = result, let first = values.first { then(first) }
    }
  }
}
