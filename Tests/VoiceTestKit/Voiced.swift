/// Names of the daemon on the bus, written out here so that a wrong one in the code is found.
package enum Voiced {
  package static let name = "org.voiced.Voiced1"
  package static let path = "/org/voiced/Voiced1"
  package static let recorderPath = "/org/voiced/Voiced1/Recorder"
  package static let presencePath = "/org/voiced/Voiced1/Presence"
  package static let recorder = "org.voiced.Voiced1.Recorder"
  package static let manager = "org.voiced.Voiced1.Manager"
  package static let monitor = "org.voiced.Voiced1.Monitor"
  package static let presence = "org.voiced.Voiced1.Presence"

  /// Where an interface's shared object is.
  package static func path(of interface: String) -> String {
    switch interface {
    case recorder: recorderPath
    case presence: presencePath
    default: path
    }
  }
}
