import Glibc
import VoiceCore

/// One source that a plugin offers, as its description said.
struct PluginSource: Equatable, Sendable {
  var id: String
  var name: String
  var plugin: String
  var flags: Set<Flag>

  enum Flag: String, Sendable, CaseIterable {
    /// The privacy indicator is shown and the access switch obeyed.
    case hearsTheUser = "hears-the-user"
    /// Pushes levels, has no sound: can be monitored, not recorded.
    case levelsOnly = "levels-only"
    /// Rendered at the host's pace: plays, and may end by itself.
    case hostClock = "host-clock"
  }

  init(id: String, name: String, plugin: String, flags: Set<Flag>) {
    self.id = id
    self.name = name
    self.plugin = plugin
    self.flags = flags
  }
}

/// A plugin file, or one of its sources, that is not used, and why.
struct RefusedPlugin: Equatable, Sendable {
  var id: String
  var plugin: String
  var reason: String
}

/// A shared library found in one of the plugin folders.
struct PluginFile: Equatable, Sendable {
  var path: String
  var facts: FileFacts

  var folder: Substring { path[..<(path.lastIndex(of: "/") ?? path.startIndex)] }

  /// The id its name suggests, for telling of a file that cannot be asked.
  var suggestedID: String {
    var name = path.split(separator: "/").last ?? ""
    for prefix in ["lib", "voiced-"] where name.utf8.starts(with: prefix.utf8) {
      name = name.dropFirst(prefix.utf8.count)
    }
    return String(name.split(separator: ".").first ?? "")
  }

  /// Why a file with these facts is not loaded, `nil` when it may be.
  ///
  /// Who can write the file can run code as the user, so it must belong to the user or to root and
  /// be writable by nobody else; the same holds for its folder.
  func refusal(user: UInt32 = geteuid()) -> String? {
    if !facts.isRegular { return "it is not a regular file" }
    if let reason = Self.refusal(of: facts, user: user) { return "the file is " + reason }
    // Where it lies, and where it is named: whoever writes to either can put another in its place.
    for place in [String(folder), Self.realFolder(of: path)] {
      guard let place, let above = FileFacts(path: place) else {
        return "its folder cannot be read"
      }
      if let reason = Self.refusal(of: above, user: user) {
        return (place == folder ? "its folder is " : "the folder it links to, \(place), is ")
          + reason
      }
    }
    return nil
  }

  /// The folder of the file itself, where the path leads over links.
  private static func realFolder(of path: String) -> String? {
    guard let real = realpath(path, nil) else { return nil }
    defer { free(real) }
    let text = String(cString: real)
    return text.lastIndex(of: "/").map { $0 == text.startIndex ? "/" : String(text[..<$0]) }
  }

  private static func refusal(of facts: FileFacts, user: UInt32) -> String? {
    if facts.owner != user && facts.owner != 0 {
      return "owned by another user (\(facts.owner)); take it over with chown"
    }
    if facts.mode & 0o022 != 0 {
      return "writable by others; forbid it with chmod go-w"
    }
    return nil
  }
}

/// Whether an id is clean, as `voiced_source.h` has it: 1 to 32 of a-z, 0-9 and `-`, a letter first.
func isCleanID(_ id: String) -> Bool {
  let letters = UInt8(ascii: "a")...UInt8(ascii: "z")
  let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
  return (1...32).contains(id.utf8.count) && id.utf8.first.map(letters.contains) == true
    && id.utf8.allSatisfy { letters.contains($0) || digits.contains($0) || $0 == UInt8(ascii: "-") }
}
