import Glibc
import VoiceIO

/// What `/proc` tells of a process; every figure is 0 or empty for one that is gone.
package struct ProcessFacts: Equatable, Sendable {
  package let pid: Int32

  package init(_ pid: Int32) { self.pid = pid }

  package var isAlive: Bool {
    guard let state = stat.first else { return false }
    return state != "Z" && state != "X"
  }

  package var parent: Int32 {
    // Read once: the process may end at any moment.
    let stat = stat
    return stat.count > 1 ? Int32(stat[1]) ?? 0 : 0
  }

  /// The program and its arguments.
  package var command: [String] { Self.zeroEnded(text("cmdline")) }

  package var environment: [String] { Self.zeroEnded(text("environ")) }

  package var threads: Int { Self.entries(of: "/proc/\(pid)/task").count }

  /// Times the process went to sleep or was made to, all threads: its wake-ups and more.
  package var contextSwitches: (voluntary: Int, involuntary: Int) {
    var sum = (voluntary: 0, involuntary: 0)
    for task in Self.entries(of: "/proc/\(pid)/task") {
      let lines = text("task/\(task)/status")
      sum.voluntary += Self.figure("voluntary_ctxt_switches", in: lines)
      sum.involuntary += Self.figure("nonvoluntary_ctxt_switches", in: lines)
    }
    return sum
  }

  /// Nanoseconds of a processor, all threads that live.
  package var processorTime: UInt64 {
    Self.entries(of: "/proc/\(pid)/task").reduce(0) { sum, task in
      sum + (text("task/\(task)/schedstat").split(separator: " ").first.flatMap { UInt64($0) } ?? 0)
    }
  }

  /// Resident memory, and its share that is the process's own, in KiB.
  package var memory: (resident: Int, proportional: Int) {
    let lines = text("smaps_rollup")
    return (Self.figure("Rss", in: lines), Self.figure("Pss", in: lines))
  }

  /// Memory that is the process's own and not a file's, in KiB: what a leak makes grow.
  package var ownMemory: Int { Self.figure("RssAnon", in: text("status")) }

  /// Open descriptors and what they are.
  package var descriptors: [Int32: String] {
    var all: [Int32: String] = [:]
    for entry in Self.entries(of: "/proc/\(pid)/fd") {
      guard let number = Int32(entry) else { continue }
      all[number] = Self.target(ofLink: "/proc/\(pid)/fd/\(entry)")
    }
    return all
  }

  package var children: [ProcessFacts] { Self.all.filter { $0.parent == pid && $0.isAlive } }

  /// Children, their children, and so on.
  package var descendants: [ProcessFacts] { children.flatMap { [$0] + $0.descendants } }

  package static var all: [ProcessFacts] {
    entries(of: "/proc").compactMap { Int32($0) }.map { ProcessFacts($0) }
  }

  /// Fields of `stat` after the name, which may hold anything.
  private var stat: [Substring] {
    let line = text("stat")
    guard let end = line.lastIndex(of: ")") else { return [] }
    return line[line.index(after: end)...].split { $0 == " " || $0 == "\n" }
  }

  private func text(_ file: String) -> String {
    String(decoding: Self.content(of: "/proc/\(pid)/\(file)"), as: UTF8.self)
  }

  private static func zeroEnded(_ text: String) -> [String] {
    text.split(separator: "\0").map(String.init)
  }

  private static func figure(_ name: String, in lines: String) -> Int {
    for line in lines.split(separator: "\n") {
      let parts = line.split { $0 == ":" || $0 == "\t" || $0 == " " }
      if parts.count > 1, parts[0] == name { return Int(parts[1]) ?? 0 }
    }
    return 0
  }

  private static func entries(of folder: String) -> [String] {
    guard let stream = opendir(folder) else { return [] }
    defer { closedir(stream) }
    var names: [String] = []
    while let entry = readdir(stream) {
      let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
        String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
      }
      if name != "." && name != ".." { names.append(name) }
    }
    return names
  }

  /// Where a symbolic link leads; empty when it is none.
  package static func target(ofLink path: String) -> String {
    var target = [CChar](repeating: 0, count: 4096)
    let count = max(0, readlink(path, &target, target.count))
    return String(decoding: target[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  /// A whole file, also one whose size is not known before; empty when it cannot be read.
  package static func content(of path: String) -> [UInt8] {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return [] }
    defer { close(descriptor) }
    var content: [UInt8] = []
    var part = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = read(descriptor, &part, part.count)
      if count <= 0 { return content }
      content += part[..<count]
    }
  }
}
