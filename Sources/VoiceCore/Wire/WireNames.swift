/// The names that clients know the daemon by on the session bus.
package enum WireNames {
  /// The bus name, and the prefix of every interface's name.
  package static let bus = "org.voiced.Voiced1"

  package static let manager = bus + ".Manager"
  package static let recorder = bus + ".Recorder"
  package static let monitor = bus + ".Monitor"

  package static let introspectable = "org.freedesktop.DBus.Introspectable"
  package static let peer = "org.freedesktop.DBus.Peer"
  package static let properties = "org.freedesktop.DBus.Properties"

  /// Where the `Manager` is, and above all other objects.
  package static let rootPath = "/org/voiced/Voiced1"
  /// The shared session; private ones are below it, by number.
  package static let recorderPath = rootPath + "/Recorder"
  /// The leases are below it, by number.
  package static let monitorPath = rootPath + "/Monitor"

  /// The property `Version` of each interface; it grows with each addition.
  package static let version: UInt32 = 1
  /// The version of the programs, in `DaemonVersion` and `--version`.
  package static let daemonVersion = "0.1.0"
  /// How the `reason` of a source ends that another plugin's takes the place of: nothing is wrong.
  package static let comesFirst = "offers the same id and comes first"
}

/// A hint worth showing; the raw value is the word on the wire.
package enum NoticeKind: String, CaseIterable, Sendable {
  /// The take was too short: the key wants to be held.
  case hold
  case accessOff = "access-off"
  /// An interruption ended or stopped the take.
  case stopped
  /// The first real sound has arrived.
  case started
  /// The verdict is `none`: there is no signal.
  case silent
  case sourceLost = "source-lost"
  case sourceBack = "source-back"
}
