import Glibc

/// Why a recording could not be put where it should be.
enum FileMoveError: Error, Equatable {
  case exists
  case isFolder
  case system(Int32)

  /// A sentence about the file.
  func text(of path: String) -> String {
    switch self {
    case .exists: "\(path.plain) exists already; --force replaces it."
    case .isFolder: "\(path.plain) is a folder; give the name of a file in it."
    case .system(let code):
      "\(path.plain) cannot be written (\(String(cString: strerror(code))))."
    }
  }
}

/// Moves a finished recording to where its owner wants it.
enum FileMove {
  /// Tells before a recording begins whether its file could be put there.
  static func check(_ path: String, replacing: Bool) throws(FileMoveError) {
    var status = stat()
    if stat(path, &status) == 0 {
      if status.st_mode & S_IFMT == S_IFDIR { throw .isFolder }
      if !replacing { throw .exists }
    }
    if access(folder(of: path), W_OK | X_OK) != 0 { throw .system(errno) }
  }

  /// Moves the file; on another file system it is copied, synced, and then deleted here.
  ///
  /// What is at `target` is replaced in one step, or, unless `replacing`, left as it is.
  static func move(
    _ source: String, to target: String, replacing: Bool
  ) throws(FileMoveError) {
    try check(target, replacing: replacing)
    if replacing {
      if rename(source, target) == 0 { return sync(folder(of: target)) }
      guard errno == EXDEV else { throw .system(errno) }
      let part = target + ".part-\(getpid())"
      try copy(source, to: part)
      guard rename(part, target) == 0 else {
        let code = errno
        unlink(part)
        throw .system(code)
      }
    } else if link(source, target) != 0 {
      // Other file systems, and those without links.
      guard errno != EEXIST else { throw .exists }
      try copy(source, to: target)
    }
    unlink(source)
    sync(folder(of: target))
  }

  /// Copies into a file that does not exist, and waits until it is on the disk.
  private static func copy(_ source: String, to target: String) throws(FileMoveError) {
    let input = open(source, O_RDONLY | O_CLOEXEC)
    guard input >= 0 else { throw .system(errno) }
    defer { close(input) }
    let output = open(target, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard output >= 0 else { throw errno == EEXIST ? .exists : .system(errno) }
    var code: Int32 = 0
    withUnsafeTemporaryAllocation(byteCount: 1 << 16, alignment: 16) { buffer in
      copying: while true {
        let count = read(input, buffer.baseAddress, buffer.count)
        if count == 0 { break }
        if count < 0 {
          if errno == EINTR { continue }
          code = errno
          break
        }
        var done = 0
        while done < count {
          let written = write(output, buffer.baseAddress?.advanced(by: done), count - done)
          if written >= 0 {
            done += written
          } else if errno != EINTR {
            code = errno
            break copying
          }
        }
      }
    }
    if code == 0, fsync(output) != 0 { code = errno }
    if close(output) != 0, code == 0 { code = errno }
    if code != 0 {
      unlink(target)
      throw .system(code)
    }
  }

  private static func folder(of path: String) -> String {
    guard let slash = path.lastIndex(of: "/") else { return "." }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }

  /// Makes the folder's change last over a power cut; a folder that cannot be synced is no error.
  private static func sync(_ folder: String) {
    let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { return }
    fsync(descriptor)
    close(descriptor)
  }
}
