import VoiceCore

/// The user's switch that turns every source off that hears the user; kept across restarts.
final class AccessSwitch {
  private let folder: StateFolder
  private(set) var isOn: Bool

  init(folder: StateFolder) {
    self.folder = folder
    // The file was made to keep "off".
    isOn = Self.kept(in: folder) ?? false
  }

  /// What is kept; `nil` when that cannot be read, or a power cut left it empty.
  private static func kept(in folder: StateFolder) -> Bool? {
    guard FileFacts(path: folder.access) != nil else { return true }
    let text = folder.text(of: folder.access) ?? ""
    return text.utf8.starts(with: "on".utf8)
      ? true : text.utf8.starts(with: "off".utf8) ? false : nil
  }

  /// Keeps the switch's place; FolderUnusable when that is not possible.
  ///
  /// Off holds then all the same, until the daemon's end; on does not.
  func turn(_ on: Bool) throws(Refusal) {
    if !on { isOn = false }
    let isKept = Self.kept(in: folder) == on
    guard isKept || folder.write(on ? "on\n" : "off\n", to: folder.access) else {
      throw Refusal(.folderUnusable, "\(folder.path) cannot be written")
    }
    isOn = on
  }
}
