import Glibc
import VoiceCore

/// The daemon's state folder: where the files of takes live, and how they get their names.
///
/// Every file is made with mode 0600 in a folder of mode 0700, and no name is ever used over an
/// existing file: the second `take-7` is `take-7-2`.
struct StateFolder {
  enum Place: String { case spool, recordings, recovery }

  /// Absolute path.
  let path: String

  func folder(_ place: Place) -> String { path + "/" + place.rawValue }

  /// Makes the state folder and those inside it where they are missing, private to the user.
  func make() throws(TakeFailure) {
    guard path.utf8.first == UInt8(ascii: "/"), !path.utf8.contains(0) else {
      throw TakeFailure(.invalidValue, "the state folder \"\(path)\" is no absolute path")
    }
    for (index, byte) in path.utf8.enumerated() where index > 0 && byte == UInt8(ascii: "/") {
      // What is wrong with a parent shows when the folder itself is made.
      _ = mkdir(String(decoding: path.utf8.prefix(index), as: UTF8.self), 0o700)
    }
    try makePrivate(path)
    for place in [Place.spool, .recordings, .recovery] { try makePrivate(folder(place)) }
  }

  private func makePrivate(_ folder: String) throws(TakeFailure) {
    if mkdir(folder, 0o700) == 0 { return }
    guard errno == EEXIST else { throw TakeFailure("made", folder) }
    var facts = stat()
    guard stat(folder, &facts) == 0 else { throw TakeFailure("read", folder) }
    guard facts.st_mode & S_IFMT == S_IFDIR else {
      throw TakeFailure("used as a folder", folder, code: ENOTDIR)
    }
    if facts.st_mode & 0o077 != 0 { _ = chmod(folder, 0o700) }
  }

  /// Names for a take's files in the order in which they are tried: `take-7`, `take-7-2`, ...
  func stems(_ take: UInt32) -> some Sequence<String> {
    (1...999).lazy.map { $0 == 1 ? "take-\(take)" : "take-\(take)-\($0)" }
  }

  /// Makes and opens a new file for reading and writing; `nil` when there is one of that name.
  func create(_ place: Place, name: String) throws(TakeFailure) -> OpenFile? {
    let path = folder(place) + "/" + name
    let descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
    if descriptor >= 0 { return OpenFile(descriptor: descriptor, path: path) }
    guard errno == EEXIST else { throw TakeFailure("made", path) }
    return nil
  }

  /// Makes and opens a new file `take-N` + `suffix` for reading and writing.
  func create(_ place: Place, take: UInt32, suffix: String) throws(TakeFailure) -> OpenFile {
    for stem in stems(take) {
      if let file = try create(place, name: stem + suffix) { return file }
    }
    throw TakeFailure("made", folder(place) + "/take-\(take)" + suffix, code: EEXIST)
  }

  /// Moves a file to the first free name `take-N` + `suffix`; the file keeps its descriptor.
  func move(_ file: OpenFile, to place: Place, take: UInt32, suffix: String) throws(TakeFailure) {
    for stem in stems(take) {
      if try file.move(to: folder(place) + "/" + stem + suffix) { return }
    }
    throw TakeFailure("made", folder(place) + "/take-\(take)" + suffix, code: EEXIST)
  }

  /// Puts the names in a folder on the disk.
  ///
  /// Not an error when it fails: the files are there, only a power cut could still lose a name.
  func sync(_ place: Place) {
    let descriptor = open(folder(place), O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { return }
    fsync(descriptor)
    close(descriptor)
  }
}
