import CCheck
import CVoiced
import Glibc

/// The library under test, inside the process of one check, with the calls the checks share.
final class Subject {
  let path: String
  /// The source asked for; empty until the library has been listed.
  private(set) var id: String
  /// What `--target` said.
  let target: String?

  private(set) var library: UnsafePointer<voiced_library>?
  private(set) var flags: UInt32 = 0
  /// The target that `start` was answered 0 for.
  private(set) var startedTarget = ""

  init(path: String, id: String, target: String?) {
    self.path = path
    self.id = id
    self.target = target
  }

  var isHostClock: Bool { flags & UInt32(VOICED_HOST_CLOCK) != 0 }
  var isLevels: Bool { flags & UInt32(VOICED_LEVELS_ONLY) != 0 }

  /// Loads the library and asks it for ABI 1.
  func load() throws(Finding) -> UnsafePointer<voiced_library> {
    if let library { return library }
    if let error = check_load(path) { throw .fail(String(cString: error)) }
    guard check_has_entry() != 0 else {
      throw .fail("It does not export voiced_source_library().")
    }
    guard let library = check_library(1) else {
      throw .fail("voiced_source_library(1) answered NULL.")
    }
    self.library = library
    return library
  }

  /// What the library says of its sources, without entries that are NULL.
  func infos() throws(Finding) -> [UnsafePointer<voiced_info>] {
    let library = try load()
    guard let count = library.pointee.count, let info = library.pointee.info else {
      throw .fail("count or info is NULL.")
    }
    return (0..<min(count(), 256)).compactMap { info($0) }
  }

  /// Makes the source, of a host of a size that is larger by `extra` bytes.
  func create(extra: UInt32 = 0) throws(Finding) -> Source {
    let library = try load()
    let info = try infos().first { info in
      info.pointee.id.map { String(cString: $0) } == id
    }
    guard let info else { throw .fail("There is no source \(id) in the library.") }
    flags = info.pointee.flags
    guard let made = check_create(library, id, check_host(extra, flags)) else {
      throw .fail("create(\"\(id)\") answered NULL.")
    }
    return made
  }

  /// Starts it with the target of `--target`, else with its default, else with one it offers.
  ///
  /// Throws `skip` when it refuses them all, which is its right: a file source has no default.
  func start(_ source: Source, options: String = "") throws(Finding) {
    var answer: Int32 = 0
    for candidate in candidates(source) {
      answer = check_start(source, candidate, options)
      startedTarget = candidate
      if answer == 0 { return }
    }
    if let target {
      throw .fail("start(\"\(target)\") answered \(errorText(answer)).")
    }
    throw .skip("start(\"\") answered \(errorText(answer)); say --target to have it judged.")
  }

  func candidates(_ source: Source) -> [String] {
    if let target { return [target] }
    return [""] + listed(source, atMost: 3, patience: 1).compactMap(\.target)
  }

  /// The source's targets, at most so many; waits so many seconds while it does not know them yet.
  func listed(_ source: Source, atMost limit: UInt32, patience: Double) -> [Target] {
    var all: [Target] = []
    let deadline = check_now() + UInt64(patience * 1e9)
    while all.count < limit {
      var out = voiced_target()
      out.size = UInt32(MemoryLayout<voiced_target>.size)
      let answer = check_target(source, UInt32(all.count), &out)
      if answer == -EAGAIN, check_now() < deadline {
        check_loop(source, 20_000_000, 0)
        continue
      }
      if answer != 0 { break }
      all.append(Target(out))
    }
    return all
  }
}

typealias Source = UnsafePointer<voiced_source>

/// A copy of what `target()` filled in.
struct Target: Equatable {
  let flags: UInt32
  let target: String?
  let name: String?

  init(_ raw: voiced_target) {
    flags = raw.flags
    target = raw.target.map { String(cString: $0) }
    name = raw.name.map { String(cString: $0) }
  }
}

/// "-2 (No such file or directory)".
func errorText(_ code: Int32) -> String {
  guard code < 0, let text = strerror(-code) else { return "\(code)" }
  return "\(code) (\(String(cString: text)))"
}
