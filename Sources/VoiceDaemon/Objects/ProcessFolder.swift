import Glibc
import VoiceIO

/// What the system tells of a caller's process: its folder in `/proc`.
struct ProcessFolder {
  let path: String

  /// - Parameter proc: where the system tells of processes.
  init(pid: UInt32, in proc: String = "/proc") { path = "\(proc)/\(pid)" }

  /// Whether it runs: what is seen of one that has ended says nothing.
  ///
  /// Throws of a process whose first thread has ended and others go on: it runs, and hides the same.
  func isRunning() throws(IOError) -> Bool {
    // "PID (PROGRAM) STATE ...", where the program's name may be anything; the 20th is the number
    // of threads.
    guard let text = try text(of: "stat", atMost: 4096),
      let end = text.utf8.lastIndex(of: UInt8(ascii: ")"))
    else { return false }
    let fields = text[end...].dropFirst().split(separator: " ")
    guard let state = fields.first, state == "Z" || state == "X" else { return !fields.isEmpty }
    if fields.count > 17, let threads = Int(fields[17]), threads > 1 {
      throw IOError(operation: "look at \(path)", code: ESRCH)
    }
    return false
  }

  /// The name of its program, "" when it is gone.
  var program: String {
    let text = try? text(of: "comm", atMost: 64)
    return String(text?.split(separator: "\n").first ?? "")
  }

  /// The sandboxed application it belongs to, found as the portals do; `nil` for a plain program.
  ///
  /// A flatpak's process has a file in its own root folder; a snap's is in a control group of its
  /// name, and the portals know it as "snap.NAME". A program that forbids to be traced, as
  /// compositors with capabilities do and a sandboxed one may, hides its root folder but not
  /// where things are mounted there. Throws when neither can be seen: it may be anybody then.
  func sandbox() throws(IOError) -> String? {
    do throws(IOError) {
      if let info = try text(of: "root" + Self.flatpakFile, atMost: Self.limit) {
        return Self.value(of: "name=", in: info) ?? "flatpak"
      }
    } catch {
      let mounts = try text(of: "mountinfo", atMost: 1 << 20)
      let isFlatpak = mounts?.split(separator: "\n").contains { line in
        line.split(separator: " ").dropFirst(4).first?.elementsEqual(Self.flatpakFile) == true
      }
      if isFlatpak != false { return isFlatpak == nil ? nil : "" }
    }
    let groups = try text(of: "cgroup", atMost: Self.limit) ?? ""
    for part in groups.split(whereSeparator: { $0 == "/" || $0 == "\n" }) {
      let names = part.split(separator: ".")
      if names.count > 2, names[0] == "snap" { return "snap.\(names[1])" }
    }
    return nil
  }

  /// Far more than these files have.
  private static let limit = 65_536
  private static let flatpakFile = "/.flatpak-info"

  private static func value(of key: String, in text: String) -> String? {
    for line in text.split(separator: "\n") where line.utf8.starts(with: key.utf8) {
      return String(line.dropFirst(key.count))
    }
    return nil
  }

  /// What is in a file of it, `nil` when there is none; throws when that cannot be read, or is more.
  private func text(of name: String, atMost limit: Int) throws(IOError) -> String? {
    let file = path + "/" + name
    let descriptor = open(file, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
    guard descriptor >= 0 else {
      if errno == ENOENT { return nil }
      throw .last("open \(file)")
    }
    defer { close(descriptor) }
    var bytes: [UInt8] = []
    var block = [UInt8](repeating: 0, count: 4096)
    while true {
      let count = read(descriptor, &block, block.count)
      guard count >= 0 else {
        // Gone since it was opened.
        if errno == ESRCH { return nil }
        throw .last("read \(file)")
      }
      if count == 0 { return String(decoding: bytes, as: UTF8.self) }
      bytes += block.prefix(count)
      guard bytes.count <= limit else { throw IOError(operation: "read \(file)", code: EFBIG) }
    }
  }
}
