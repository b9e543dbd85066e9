import CCheck
import CVoiced
import Glibc

extension Check {
  static let library: [Check] = [
    .library(
      "library.trusted-file",
      """
      The file is a regular one, owned by you or root, and nobody else may write to it or to its
      folder. voiced refuses any other without loading it, because whoever can write to it could
      listen to the microphone.
      """
    ) { subject throws(Finding) in try trust(subject.path) },
    .library(
      "library.file-name",
      """
      The file is called libvoiced-NAME.so, so that people and packagers know what it is.
      """
    ) { subject throws(Finding) in
      let name = subject.path.split(separator: "/").last.map(String.init) ?? ""
      guard name.hasPrefix("libvoiced-"), name.hasSuffix(".so"), name.utf8.count > 14 else {
        return .warn("\(name) is not of the form libvoiced-NAME.so.")
      }
      return .pass
    },
    .library(
      "library.exports",
      """
      voiced_source_library() is the only function it exports, or at least no other one has the name
      of a function of the host or its libraries. Compile with -fvisibility=hidden. Names that a
      language's own runtime brings along do not count.
      """
    ) { subject throws(Finding) in
      var text = [CChar](repeating: 0, count: 400)
      let count = check_shadows(subject.path, &text, UInt32(text.count))
      if count < 0 { return .fail("It is no ELF shared library.") }
      if count == 0 { return .pass }
      let bytes = text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
      let names = String(decoding: bytes, as: UTF8.self).split(separator: "\n")
      return .warn("It also exports \(names.joined(separator: ", ")).")
    },
    .library(
      "library.loads",
      """
      dlopen() with RTLD_NOW and RTLD_LOCAL succeeds: every library and symbol it needs is there.
      Link with -Wl,-z,defs to learn of a missing one when you build.
      """
    ) { subject throws(Finding) in
      if let error = check_load(subject.path) { return .fail(String(cString: error)) }
      return .pass
    },
    .library(
      "library.entry", needs: ["library.loads"],
      """
      It exports voiced_source_library(), which answers with a library when asked for ABI 1.
      """
    ) { subject throws(Finding) in
      _ = try subject.load()
      return .pass
    },
    .library(
      "library.abi-number", needs: ["library.entry"],
      """
      The library's abi is 1. The host believes nothing else in it before this number.
      """
    ) { subject throws(Finding) in
      let abi = try subject.load().pointee.abi
      return abi == 1 ? .pass : .fail("Its abi is \(abi).")
    },
    .library(
      "library.refuses-unknown-abi", needs: ["library.abi-number"],
      """
      Asked for an ABI that does not exist yet, voiced_source_library() answers NULL. A later host
      would otherwise take its structures for what they are not.
      """
    ) { subject throws(Finding) in
      _ = try subject.load()
      for abi: UInt32 in [0, 2, 99, .max] where check_library(abi) != nil {
        return .warn("voiced_source_library(\(abi)) answered with a library.")
      }
      return .pass
    },
    .library(
      "library.sizes", needs: ["library.abi-number"],
      """
      The sizes of the library's and the infos' structures are at least those of ABI 1 and no
      nonsense, and count, info and create are there.
      """
    ) { subject throws(Finding) in
      let library = try subject.load().pointee
      try size("voiced_library", library.size, MemoryLayout<voiced_library>.size)
      guard library.count != nil, library.info != nil, library.create != nil else {
        return .fail("count, info or create is NULL.")
      }
      for info in try subject.infos() {
        try size("voiced_info", info.pointee.size, MemoryLayout<voiced_info>.size)
      }
      return .pass
    },
    .library(
      "library.info-range", needs: ["library.sizes"],
      """
      There is at least one source, info() answers for every number below count() and NULL from
      there on.
      """
    ) { subject throws(Finding) in
      let library = try subject.load().pointee
      let count = library.count()
      if count == 0 { return .fail("count() is 0.") }
      if count > 256 { return .fail("count() is \(count).") }
      for index in 0..<count where library.info(index) == nil {
        return .fail("info(\(index)) is NULL, and count() is \(count).")
      }
      for index in [count, count + 1, .max] where library.info(index) != nil {
        return .fail("info(\(index)) is not NULL, and count() is \(count).")
      }
      return .pass
    },
    .library(
      "library.info-constant", needs: ["library.info-range"],
      """
      count() and info() answer the same each time: what a library offers is constant for the life
      of the process, because the host remembers it.
      """
    ) { subject throws(Finding) in
      let before = try subject.infos().map { "\($0) \(described($0))" }
      for _ in 0..<3 where try subject.infos().map({ "\($0) \(described($0))" }) != before {
        return .fail("info() answered differently the second time.")
      }
      return .pass
    },
    .library(
      "library.clean-ids", needs: ["library.info-range"],
      """
      Every id is 1 to 32 bytes: a letter a to z, then a to z, 0 to 9 and '-'. Ids are typed,
      stored in settings and become parts of names on the bus.
      """
    ) { subject throws(Finding) in
      for info in try subject.infos() {
        guard let raw = info.pointee.id else { return .fail("An id is NULL.") }
        let id = String(cString: raw)
        if !isClean(id) { return .fail("\"\(id)\" is no clean id.") }
      }
      return .pass
    },
    .library(
      "library.unique-ids", needs: ["library.info-range"],
      """
      No two sources of the library have the same id. The second one could never be chosen.
      """
    ) { subject throws(Finding) in
      let ids = try subject.infos().compactMap { $0.pointee.id.map { String(cString: $0) } }
      for (index, id) in ids.enumerated() where ids.prefix(index).contains(id) {
        return .fail("\"\(id)\" is there twice.")
      }
      return .pass
    },
    .library(
      "library.texts", needs: ["library.info-range"],
      """
      Name, vendor, version, summary and licence are there: UTF-8, one line, at most 255 bytes,
      and not empty. They are shown to people as they are.
      """
    ) { subject throws(Finding) in
      for info in try subject.infos().map(\.pointee) {
        for (key, raw) in [
          ("name", info.name), ("vendor", info.vendor), ("version", info.version),
          ("summary", info.summary), ("licence", info.licence),
        ] {
          if let fault = fault(raw, limit: 255) { return .fail("\(key) \(fault).") }
        }
      }
      return .pass
    },
    .library(
      "library.flags", needs: ["library.info-range"],
      """
      The flags make sense: a source of bare levels has no sound for the host to render, and bits
      that ABI 1 does not know are 0.
      """
    ) { subject throws(Finding) in
      for flags in try subject.infos().map(\.pointee.flags) {
        if flags & 5 == 5 { return .fail("LEVELS_ONLY and HOST_CLOCK exclude each other.") }
        if flags & ~7 != 0 { return .warn("Unknown flags: 0x\(String(flags & ~7, radix: 16)).") }
      }
      return .pass
    },
    .library(
      "library.quick-to-list", needs: ["library.info-range"],
      """
      Loading it and reading its infos takes no processor time to speak of, starts no thread and leaves no
      descriptor open: every library is listed when voiced looks for sources, used or not.
      """
    ) { subject throws(Finding) in
      let before = check_open_descriptors()
      let begun = check_spent()
      _ = try subject.infos()
      let spent = Double(check_spent() - begun)
      if check_threads() > 1 { return .fail("Loading it started a thread.") }
      let opened = added(before, check_open_descriptors())
      if opened > 0 { return .fail("Loading it left \(opened) descriptors open.") }
      if spent > 2e9 { return .fail("It took \(milliseconds(spent)).") }
      if spent > 5e8 { return .warn("It took \(milliseconds(spent)).") }
      return .pass
    },
  ]

  /// The rules of trust, as voiced applies them before it loads anything.
  private static func trust(_ path: String) throws(Finding) -> Finding {
    var status = stat()
    guard stat(path, &status) == 0 else { return .fail("It cannot be read.") }
    guard status.st_mode & S_IFMT == S_IFREG else { return .fail("It is no regular file.") }
    var judged = [("file", status)]
    let real = realpath(path, nil)
    defer { free(real) }
    // Where it is named, and where a link leads to.
    for place in [path, real.map { String(cString: $0) } ?? path] {
      let folder = place.lastIndex(of: "/").map { String(place[..<$0]) } ?? "."
      var above = stat()
      guard stat(folder.isEmpty ? "/" : folder, &above) == 0 else {
        return .fail("Its folder cannot be read.")
      }
      judged.append(("folder \(folder)", above))
    }
    for (what, status) in judged {
      if status.st_uid != geteuid(), status.st_uid != 0 {
        return .fail("The \(what) belongs to somebody else (user \(status.st_uid)).")
      }
      if status.st_mode & 0o022 != 0 {
        return .fail("Others may write to the \(what): chmod go-w.")
      }
    }
    return .pass
  }

  private static func described(_ info: UnsafePointer<voiced_info>) -> String {
    let i = info.pointee
    let texts = [i.id, i.name, i.vendor, i.version, i.summary, i.licence]
    return "\(i.flags)" + texts.map { $0.map { String(cString: $0) } ?? "NULL" }.joined()
  }
}

/// 1 to 32 bytes: a letter, then letters, digits and `-`, all of ASCII and lower case.
func isClean(_ id: String) -> Bool {
  let letters = UInt8(ascii: "a")...UInt8(ascii: "z")
  let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
  guard let first = id.utf8.first, letters.contains(first), id.utf8.count <= 32 else {
    return false
  }
  return id.utf8.allSatisfy {
    letters.contains($0) || digits.contains($0) || $0 == UInt8(ascii: "-")
  }
}

/// What is wrong with a text handed out, to go on after its name; `nil` when nothing is.
func fault(_ raw: UnsafePointer<CChar>?, limit: Int, mayBeEmpty: Bool = false) -> String? {
  guard let raw else { return "is NULL" }
  let length = strnlen(raw, limit + 1)
  if length > limit { return "is longer than \(limit) bytes" }
  let bytes = UnsafeRawBufferPointer(start: raw, count: length)
  guard String(validating: bytes, as: UTF8.self) != nil else { return "is not UTF-8" }
  if bytes.contains(where: { $0 < 32 || $0 == 127 }) { return "has a control character" }
  return length == 0 && !mayBeEmpty ? "is empty" : nil
}

/// Fails when a structure's size is smaller than in ABI 1, or beyond belief.
func size(_ what: String, _ size: UInt32, _ least: Int) throws(Finding) {
  if size < least { throw .fail("The size of its \(what) is \(size), in ABI 1 it is \(least).") }
  if size > 4096 { throw .fail("The size of its \(what) is \(size).") }
}

/// How many descriptors are open after that were not before.
func added(_ before: check_descriptors, _ after: check_descriptors) -> Int {
  var old = before.bits
  var new = after.bits
  return withUnsafeBytes(of: &old) { old in
    withUnsafeBytes(of: &new) { new in
      zip(old, new).reduce(0) { $0 + ($1.1 & ~$1.0).nonzeroBitCount }
    }
  }
}
