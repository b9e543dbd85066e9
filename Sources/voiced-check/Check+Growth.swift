import CCheck
import CVoiced
import Glibc

extension Check {
  static let growth: [Check] = [
    .source(
      "growth.sizes", needs: ["instance.create-destroy"], after: ["clock.first-sound"],
      """
      The sizes of the source's and the render extension's structures are at least those of ABI 1
      and no nonsense. The host touches no member beyond them.
      """
    ) { subject throws(Finding) in
      let source = try subject.create()
      try size("voiced_source", source.pointee.size, MemoryLayout<voiced_source>.size)
      if subject.isHostClock {
        let render = try subject.rendering(source)
        try size("voiced_render", render.pointee.size, MemoryLayout<voiced_render>.size)
      }
      return .pass
    },
    .source(
      "growth.larger-host-struct", needs: ["instance.start-answers"],
      after: ["instance.stop-returns", "clock.first-sound"],
      """
      A later host has more functions at the end of voiced_host. The source lives its life with
      such a one, and calls none it does not know.
      """
    ) { subject throws(Finding) in
      try subject.live(try subject.create(extra: 128))
      try require(CHECK_HOST_TAIL) { _ in "It called a function past the end of ABI 1's host." }
      return .pass
    },
    .source(
      "growth.larger-target-struct", needs: ["targets.within-size"],
      """
      A later host's voiced_target is longer. target() fills what it knows and leaves the rest.
      """
    ) { subject throws(Finding) in
      let source = try subject.create()
      _ = subject.listed(source, atMost: 1, patience: 3)
      let bytes = MemoryLayout<voiced_target>.size
      let memory = UnsafeMutableRawPointer.allocate(byteCount: bytes + 64, alignment: 16)
      defer { memory.deallocate() }
      memset(memory, 0x5a, bytes + 64)
      let out = memory.bindMemory(to: voiced_target.self, capacity: 1)
      out.pointee.size = UInt32(bytes + 64)
      if check_target_exactly(source, 0, out) != 0 {
        return .fail("It refuses a longer structure.")
      }
      let rest = UnsafeRawBufferPointer(start: memory + bytes, count: 64)
      if rest.contains(where: { $0 != 0x5a }) {
        return .fail("It wrote to members that it cannot know.")
      }
      return .pass
    },
    .source(
      "growth.unknown-extension", needs: ["instance.create-destroy"],
      """
      extension() answers NULL for ids it does not know, such as a later version of one it knows.
      """
    ) { subject throws(Finding) in
      let source = try subject.create()
      let unknown = ["", "voiced.render", "voiced.render/2", "voiced.render/11", "voiced.none/1"]
      for id in unknown where check_extension(source, id) != nil {
        return .fail("extension(\"\(id)\") is not NULL.")
      }
      check_destroy(source)
      return .pass
    },
    .source(
      "growth.unknown-options", needs: ["instance.stop-returns"],
      """
      Options that a later host knows are ignored: start() answers as it does without them.
      """
    ) { subject throws(Finding) in
      let source = try subject.create()
      try subject.start(source)
      check_stop(source)
      let options = "no-such-option=1\nvoiced.later=a=b\n"
      let answer = check_start(source, subject.startedTarget, options)
      if answer != 0 { return .fail("With unknown options it answered \(errorText(answer)).") }
      check_stop(source)
      check_destroy(source)
      return .pass
    },
  ]
}
