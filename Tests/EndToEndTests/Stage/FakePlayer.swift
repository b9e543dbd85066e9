import VoiceIO
import VoiceTestKit

/// A media player on the session bus, as far as pausing it goes; served while the client waits.
final class FakePlayer {
  private let bus: Bus
  private(set) var status: String
  /// `Pause` and `Play`, in the order in which they came.
  private(set) var asked: [String] = []
  /// Whether it was asked what it does.
  private(set) var isSeen = false
  /// Calls of one that never answers.
  private var waiting: [BusCall] = []

  init(
    _ stage: Stage, _ name: String, status: String = "Playing", answers: Bool = true
  ) throws {
    self.status = status
    bus = try Bus(loop: stage.client.loop, address: .other(stage.rig.desktop.busAddress))
    try bus.requestName("org.mpris.MediaPlayer2." + name)
    bus.onCall = { [weak self] call in
      self?.isSeen = true
      if answers { self?.answer(call) } else { self?.waiting.append(call) }
    }
  }

  private func answer(_ call: BusCall) {
    guard call.path == "/org/mpris/MediaPlayer2" else { return }
    switch call.member {
    case "Get": call.reply([.variant(.string(status))])
    case "Pause", "Play":
      asked.append(call.member)
      status = call.member == "Play" ? "Playing" : "Paused"
      call.reply()
    default: call.fail("org.freedesktop.DBus.Error.UnknownMethod", "not known here")
    }
  }

  /// As if its user had pressed its own button.
  func play() { status = "Playing" }
}
