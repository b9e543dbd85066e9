/// The version of the command line.
enum Version {
  static let text = "0.1.0"
}
