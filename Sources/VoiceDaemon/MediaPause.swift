import VoiceCore
import VoiceIO

/// Pauses the media players that are playing while a take runs, and resumes exactly those.
final class MediaPause {
  private static let path = "/org/mpris/MediaPlayer2"
  private static let player = "org.mpris.MediaPlayer2.Player"
  private static let deadline = 2.0

  private let bus: Bus
  /// Recordings that want silence now.
  private var wanted = 0
  private var paused: [String] = []

  init(bus: Bus) { self.bus = bus }

  func begin() {
    wanted += 1
    guard wanted == 1 else { return }
    bus.call(
      destination: "org.freedesktop.DBus", path: "/org/freedesktop/DBus",
      interface: "org.freedesktop.DBus", member: "ListNames", timeout: Self.deadline
    ) { [weak self] result in
      guard let self, case .success(let values) = result, case .array(_, let names)? = values.first
      else { return }
      for case .string(let name) in names
      where name.utf8.starts(with: "org.mpris.MediaPlayer2.".utf8) {
        pauseIfPlaying(name)
      }
    }
  }

  func end() {
    wanted = max(0, wanted - 1)
    guard wanted == 0 else { return }
    for name in paused { call(name, Self.player, "Play") }
    paused = []
  }

  private func pauseIfPlaying(_ name: String) {
    bus.call(
      destination: name, path: Self.path, interface: "org.freedesktop.DBus.Properties",
      member: "Get", [.string(Self.player), .string("PlaybackStatus")], timeout: Self.deadline
    ) { [weak self] result in
      guard let self, wanted > 0, case .success(let values) = result,
        values.first == .variant(.string("Playing")), !paused.contains(name)
      else { return }
      paused.append(name)
      call(name, Self.player, "Pause")
    }
  }

  private func call(_ name: String, _ interface: String, _ member: String) {
    bus.call(
      destination: name, path: Self.path, interface: interface, member: member,
      timeout: Self.deadline
    ) { _ in }
  }
}
