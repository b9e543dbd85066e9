import VoiceCore

/// The user's switch that turns every source off that hears the user; kept across restarts.
final class AccessSwitch {
  private let folder: StateFolder
  private(set) var isOn: Bool

  init(folder: StateFolder) {
    self.folder = folder
    isOn = Self.isKeptOn(in: folder)
  }

  private static func isKeptOn(in folder: StateFolder) -> Bool {
    folder.text(of: folder.access)?.utf8.starts(with: "off".utf8) != true
  }

  /// Keeps the switch's place; FolderUnusable when that is not possible.
  ///
  /// Off holds then all the same, until the daemon's end; on does not.
  func turn(_ on: Bool) throws(Refusal) {
    if !on { isOn = false }
    let isKept = Self.isKeptOn(in: folder) == on
    guard isKept || folder.write(on ? "on\n" : "off\n", to: folder.access) else {
      throw Refusal(.folderUnusable, "\(folder.path) cannot be written")
    }
    isOn = on
  }
}
