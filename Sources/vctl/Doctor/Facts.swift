import VoiceCore
import VoiceIO

/// What the doctor knows; gathered by `DoctorCommand`, judged by `Diagnosis`.
struct Facts {
  /// The program behind the bus: "dbus-daemon", "dbus-broker"; `nil` when it cannot be told.
  var broker: String?
  var ownVersion = WireNames.daemonVersion
  var recorder: [String: BusValue] = [:]
  var manager: [String: BusValue] = [:]
  /// PipeWire's socket takes connections.
  var hasAudioServer = true
  /// What the microphone source can be pointed at, or why it cannot be asked.
  var microphones: Result<[[String: BusValue]], Failure> = .success([])
  var lastTake: [String: BusValue]?
  /// What the daemon passes over in its configuration file, and the `media.role` it sets.
  var configuration = ConfigurationFile(text: "")
  var configurationPath = ""
  /// The sandbox that vctl itself runs in.
  var sandbox: String?
  /// Where recordings are kept, and what the disk says of it.
  var folder = ""
  var folderProblem: String?
  var freeBytes: UInt64?

  var source: String { recorder["Source"]?.text ?? "" }
  var target: String { recorder["Target"]?.text ?? "" }
  var sources: [[String: BusValue]] { (manager["Sources"]?.items ?? []).compactMap(\.entries) }
}
