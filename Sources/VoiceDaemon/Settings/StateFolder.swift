import Glibc
import VoiceCore

/// The daemon's folder under `$XDG_STATE_HOME`: its paths, and the few quick calls made there.
///
/// All calls are metadata or a few bytes, never the sound of a take.
struct StateFolder: Sendable {
  let path: String

  init(path: String) { self.path = path }

  var spool: String { path + "/spool" }
  var recordings: String { path + "/recordings" }
  var recovery: String { path + "/recovery" }
  var counter: String { path + "/counter" }
  var access: String { path + "/access" }

  /// Makes the folder, and those above it, for the user alone; an error shows at the next use.
  func make() {
    var parent = ""
    for part in path.split(separator: "/") {
      parent += "/" + part
      mkdir(parent, 0o700)
    }
  }

  /// The names of the plain entries of a folder; empty when it cannot be read.
  func names(in folder: String) -> [String] {
    guard let directory = opendir(folder) else { return [] }
    defer { closedir(directory) }
    var names: [String] = []
    while let entry = readdir(directory) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      if !name.utf8.starts(with: ".".utf8) { names.append(name) }
    }
    return names
  }

  /// A small text file's content; `nil` when it is missing, larger than 64 KiB or not UTF-8.
  func text(of file: String) -> String? {
    let descriptor = open(file, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var bytes = [UInt8](repeating: 0, count: 65_537)
    let count = read(descriptor, &bytes, bytes.count)
    guard count >= 0, count < bytes.count else { return nil }
    return String(validating: bytes.prefix(count), as: UTF8.self)
  }

  /// Replaces a small text file as a whole; a reader sees the old text or the new one.
  @discardableResult
  func write(_ text: String, to file: String) -> Bool {
    make()
    let part = file + ".new"
    let descriptor = open(part, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { return false }
    var text = text
    let written = text.withUTF8 { Glibc.write(descriptor, $0.baseAddress, $0.count) == $0.count }
    close(descriptor)
    guard written, rename(part, file) == 0 else {
      unlink(part)
      return false
    }
    return true
  }
}

/// What `stat` tells of a file, as far as the daemon asks.
struct FileFacts: Equatable, Sendable {
  var device: UInt64
  var inode: UInt64
  var owner: UInt32
  var mode: UInt32
  var size: Int64
  /// Seconds since 1970.
  var modified: Int64
  var modifiedNanoseconds: Int64

  var isRegular: Bool { mode & S_IFMT == S_IFREG }

  /// `nil` when there is no such file.
  init?(path: String) {
    var facts = stat()
    guard stat(path, &facts) == 0 else { return nil }
    device = UInt64(facts.st_dev)
    inode = UInt64(facts.st_ino)
    owner = facts.st_uid
    mode = facts.st_mode
    size = Int64(facts.st_size)
    modified = Int64(facts.st_mtim.tv_sec)
    modifiedNanoseconds = Int64(facts.st_mtim.tv_nsec)
  }
}
