import CCheck
import CVoiced
import Glibc

extension Check {
  static let targets: [Check] = [
    .source(
      "targets.ends-with-enoent", needs: ["instance.create-destroy"],
      """
      target() answers 0 for each target and -ENOENT past the last, before 4096 of them. -EAGAIN
      says that the list is not known yet; the host then lets the source's loop run, here for 3 s.
      """
    ) { subject throws(Finding) in
      let source = try subject.create()
      let deadline = check_now() + 3_000_000_000
      var number: UInt32 = 0
      while number <= VOICED_MAX_TARGETS {
        var out = voiced_target()
        out.size = UInt32(MemoryLayout<voiced_target>.size)
        switch check_target(source, number, &out) {
        case 0: number += 1
        case -ENOENT:
          check_destroy(source)
          return .pass(number == 1 ? "1 target." : "\(number) targets.")
        case -EAGAIN:
          if check_now() > deadline { return .skip("The list is not known after 3 s.") }
          check_loop(source, 20_000_000, 0)
        case let other: return .fail("target(\(number)) answered \(errorText(other)).")
        }
      }
      return .fail("There is no end to its targets.")
    },
    .source(
      "targets.texts", needs: ["targets.ends-with-enoent"],
      """
      Every target has a text for start(), of at most 4096 bytes, and a name of at most 255 for
      people: UTF-8, without control characters, whatever a device calls itself.
      """
    ) { subject throws(Finding) in
      let source = try subject.create()
      _ = subject.listed(source, atMost: 1, patience: 3)
      for number in 0..<VOICED_MAX_TARGETS {
        var out = voiced_target()
        out.size = UInt32(MemoryLayout<voiced_target>.size)
        if check_target(source, number, &out) != 0 { break }
        if let fault = fault(out.target, limit: 4096, mayBeEmpty: true) {
          return .fail("The text of target \(number) \(fault).")
        }
        if let fault = fault(out.name, limit: 255) {
          return .fail("The name of target \(number) \(fault).")
        }
      }
      return .pass
    },
    .source(
      "targets.unique", needs: ["targets.texts"],
      """
      No two targets have the same text, or the second could not be chosen.
      """
    ) { subject throws(Finding) in
      let all = all(subject, try subject.create()).compactMap(\.target)
      return Set(all).count == all.count ? .pass : .fail("A target is there twice.")
    },
    .source(
      "targets.one-default", needs: ["targets.texts"],
      """
      At most one target is marked as the default, and unknown flags are 0.
      """
    ) { subject throws(Finding) in
      let flags = all(subject, try subject.create()).map(\.flags)
      let defaults = flags.filter { $0 & UInt32(VOICED_TARGET_DEFAULT) != 0 }.count
      if defaults > 1 { return .fail("\(defaults) targets are the default.") }
      if let strange = flags.first(where: { $0 & ~3 != 0 }) {
        return .warn("A target has unknown flags: 0x\(String(strange & ~3, radix: 16)).")
      }
      return .pass
    },
    .source(
      "targets.stable", needs: ["targets.texts"],
      """
      Asked twice in a row, the list is the same: it changes only while the source's loop runs.
      """
    ) { subject throws(Finding) in
      let source = try subject.create()
      let first = all(subject, source)
      return all(subject, source) == first ? .pass : .fail("The second list is another one.")
    },
    .source(
      "targets.within-size", needs: ["targets.texts"],
      """
      target() leaves the size as it is and writes nothing past it: the structure is the host's,
      and an older host has a shorter one.
      """
    ) { subject throws(Finding) in
      let source = try subject.create()
      _ = subject.listed(source, atMost: 1, patience: 3)
      let bytes = MemoryLayout<voiced_target>.size
      let memory = UnsafeMutableRawPointer.allocate(byteCount: bytes + 64, alignment: 16)
      defer { memory.deallocate() }
      memset(memory, 0xa5, bytes + 64)
      let out = memory.bindMemory(to: voiced_target.self, capacity: 1)
      out.pointee.size = UInt32(bytes)
      if check_target_exactly(source, 0, out) != 0 { return .skip("It offers no targets now.") }
      if out.pointee.size != bytes { return .fail("It changed the size of the host's structure.") }
      let rest = UnsafeRawBufferPointer(start: memory + bytes, count: 64)
      if rest.contains(where: { $0 != 0xa5 }) {
        return .fail("It wrote past the end of the host's structure.")
      }
      return .pass
    },
    .source(
      "targets.any-number", needs: ["targets.ends-with-enoent"],
      """
      target() may be asked for any number, in any order, and answers -ENOENT for those far out.
      """
    ) { subject throws(Finding) in
      let source = try subject.create()
      _ = subject.listed(source, atMost: 1, patience: 3)
      for number: UInt32 in [VOICED_MAX_TARGETS, 1 << 31, .max] {
        var out = voiced_target()
        out.size = UInt32(MemoryLayout<voiced_target>.size)
        let answer = check_target(source, number, &out)
        if answer != -ENOENT, answer != -EAGAIN {
          return .fail("target(\(number)) answered \(errorText(answer)).")
        }
      }
      return .pass
    },
    .source(
      "targets.while-started", needs: ["targets.texts", "instance.stop-returns"],
      """
      The list can also be read while the source is started.
      """
    ) { subject throws(Finding) in
      let source = try subject.create()
      try subject.start(source)
      _ = all(subject, source)
      check_loop(source, 50_000_000, 0)
      _ = all(subject, source)
      check_stop(source)
      check_destroy(source)
      return .pass
    },
  ]

  private static func all(_ subject: Subject, _ source: Source) -> [Target] {
    subject.listed(source, atMost: VOICED_MAX_TARGETS, patience: 3)
  }
}
