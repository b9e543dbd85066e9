import CCheck
import CVoiced
import Glibc

extension Check {
  static let instance: [Check] = [
    .source(
      "instance.create-destroy", needs: ["library.sizes"], deadline: 5,
      """
      create() makes the source of each id it lists, and destroy() gives it back, both at once.
      Making a source opens no device: it is also done to list its targets.
      """
    ) { subject throws(Finding) in
      _ = try subject.load()
      let begun = check_now()
      let source = try subject.create()
      try functions(source)
      check_destroy(source)
      return quick("create() and destroy()", since: begun)
    },
    .source(
      "instance.unknown-id", needs: ["instance.create-destroy"],
      """
      create() answers NULL for an id that is not in the library.
      """
    ) { subject throws(Finding) in
      let host = check_host(0, 0)
      let library = try subject.load()
      guard let made = check_create(library, "no-such-source", host) else { return .pass }
      check_destroy(made)
      return .warn("create(\"no-such-source\") made a source.")
    },
    .source(
      "instance.create-again", needs: ["instance.create-destroy"],
      """
      A source can be made again after it was destroyed, ten times.
      """
    ) { subject throws(Finding) in
      for _ in 0..<10 { check_destroy(try subject.create()) }
      return .pass
    },
    .source(
      "instance.start-answers", needs: ["instance.create-destroy"], deadline: 5,
      """
      start() answers 0 or a negative errno at once. What only time can tell, such as a device or a
      server that does not answer, is told later by ended(). The host ends a process that hangs.
      """
    ) { subject throws(Finding) in
      let source = try subject.create()
      var answers: [String] = []
      for candidate in subject.candidates(source) {
        let begun = check_now()
        let answer = check_start(source, candidate, "")
        let spent = quick("start()", since: begun)
        if answer > 0 || answer < -4095 {
          return .fail("It answered \(answer), no negative errno.")
        }
        if answer == 0 { return spent }
        answers.append("\"\(candidate)\": \(errorText(answer))")
      }
      if subject.target != nil { return .fail("It refused \(answers[0]).") }
      let refused = answers.joined(separator: ", ")
      return .pass("It refused \(refused); say --target to have more judged.")
    },
    .source(
      "instance.stop-returns", needs: ["instance.start-answers"], deadline: 5,
      """
      stop() returns within a quantum or two, and destroy() after it. A take waits for neither, but
      a process that hangs there is ended.
      """
    ) { subject throws(Finding) in
      let source = try subject.create()
      try subject.start(source)
      check_loop(source, 50_000_000, 0)
      let begun = check_now()
      check_stop(source)
      let spent = quick("stop()", since: begun)
      check_destroy(source)
      return spent
    },
    .source(
      "instance.restart", needs: ["instance.stop-returns"],
      """
      A stopped source can be started again, ten times, with the same answer.
      """
    ) { subject throws(Finding) in
      let source = try subject.create()
      try subject.start(source)
      check_stop(source)
      for _ in 0..<10 {
        let answer = check_start(source, subject.startedTarget, "")
        if answer != 0 { return .fail("Started again, it answered \(errorText(answer)).") }
        check_loop(source, 10_000_000, 0)
        check_stop(source)
      }
      check_destroy(source)
      return .pass
    },
    .source(
      "instance.recording-switch", needs: ["instance.stop-returns"],
      """
      recording() may come at any time while the source is started, also twice with the same value,
      and start() may be told "recording=1". NULL is fine for a source that has nothing to show.
      """
    ) { subject throws(Finding) in
      for options in ["", "recording=1\n"] {
        let source = try subject.create()
        try subject.start(source, options: options)
        for on: Int32 in [1, 1, 0, 1, 0, 0] {
          check_recording(source, on)
          check_loop(source, 10_000_000, 0)
        }
        check_stop(source)
        check_destroy(source)
      }
      return .pass
    },
    .source(
      "instance.strange-targets", needs: ["instance.start-answers"],
      after: ["instance.stop-returns"],
      """
      start() may be given any text as a target, since people type it: very long, with control
      characters, with percent signs, with paths. It answers a negative errno, or 0, and lives.
      """
    ) { subject throws(Finding) in
      let strange = [
        "no such target", String(repeating: "a", count: 4096), "/", "../../../etc/passwd",
        "\u{1}\u{7f}\t\n", "%s%n%d", "-1", "18446744073709551616", "nan",
        "a\u{301}\u{1f3a4}", "\"'`$()",
      ]
      let source = try subject.create()
      for target in strange {
        let answer = check_start(source, target, "")
        if answer > 0 || answer < -4095 {
          return .fail("start() answered \(answer) to a strange target, no negative errno.")
        }
        guard answer == 0 else { continue }
        check_loop(source, 10_000_000, 0)
        check_stop(source)
      }
      check_destroy(source)
      return .pass
    },
    .source(
      "instance.strange-options", needs: ["instance.stop-returns"],
      """
      start() lives with options that are no options: empty lines, no '=', no figure where one
      belongs, a line of 4000 bytes.
      """
    ) { subject throws(Finding) in
      let strange = [
        "\n\n", "=\n", "recording\n", "key=" + String(repeating: "x", count: 4000) + "\n",
        "start=nan\nloop=maybe\n", "start=-1\n", "start=1e308\n", "recording=1", "media-role=\n",
      ]
      let source = try subject.create()
      try subject.start(source)
      check_stop(source)
      for options in strange {
        let answer = check_start(source, subject.startedTarget, options)
        if answer > 0 || answer < -4095 {
          return .fail("start() answered \(answer) to strange options, no negative errno.")
        }
        guard answer == 0 else { continue }
        check_loop(source, 10_000_000, 0)
        check_stop(source)
      }
      check_destroy(source)
      return .pass
    },
    .source(
      "instance.main-thread-calls", needs: ["instance.start-answers"],
      after: ["instance.stop-returns", "clock.first-sound"],
      """
      linked() and watch() are called on the main thread, linked() while started, every host
      function with the host that create() was given, and nothing asks for on_main() or on_fd() that
      has none.
      """
    ) { subject throws(Finding) in
      try subject.live(try subject.create())
      try require(CHECK_LINKED_THREAD) { _ in "linked() was not called on the main thread." }
      try require(CHECK_LINKED_STOPPED) { _ in "linked() was called while stopped." }
      try require(CHECK_WATCH_THREAD) { _ in "watch() was not called on the main thread." }
      try require(CHECK_WATCH_CLOSED) { "Descriptor \(Int($0)) was closed while watched." }
      try require(CHECK_HOST_POINTER) { _ in "A host function was not given the host." }
      try require(CHECK_MAIN_MISSING) {
        $0 == 0 ? "It calls call_main() and has no on_main." : "It watches and has no on_fd."
      }
      return .pass
    },
    .source(
      "instance.ended-rules", needs: ["instance.start-answers"],
      after: ["instance.stop-returns", "clock.first-sound"],
      """
      ended() comes at most once a start, not from the audio thread, not while stopped, with 0 or
      a negative errno.
      """
    ) { subject throws(Finding) in
      try subject.live(try subject.create())
      try require(CHECK_ENDED_STOPPED) { _ in "ended() was called while stopped." }
      try require(CHECK_ENDED_AUDIO) { _ in "ended() was called from the audio thread." }
      try require(CHECK_ENDED_TWICE) { _ in "ended() was called twice." }
      try require(CHECK_ENDED_POSITIVE) { "ended() was given \(Int($0)), no negative errno." }
      return .pass
    },
    .source(
      "instance.log-rules", needs: ["instance.start-answers"],
      after: ["instance.stop-returns", "clock.first-sound"],
      """
      log() is given a text and a severity of the contract, and is not called from the audio
      thread, where it would wait.
      """
    ) { subject throws(Finding) in
      try subject.live(try subject.create())
      try require(CHECK_LOG_AUDIO) { _ in "log() was called from the audio thread." }
      try require(CHECK_LOG_NULL) { _ in "log() was given NULL." }
      try require(CHECK_LOG_SEVERITY) { "log() was given the severity \(Int($0))." }
      return .pass
    },
    .source(
      "instance.no-memory-left", needs: ["instance.start-answers"],
      after: ["instance.stop-returns"], deadline: 20,
      """
      Twenty lives (create, start, stop, destroy) leave no memory behind, after five to warm up.
      """
    ) { subject throws(Finding) in
      try cycles(subject, 5)
      let blocks = Int64(bitPattern: check_live_blocks())
      let bytes = Int64(bitPattern: check_live_bytes())
      let resident = Int64(bitPattern: check_resident())
      if blocks == 0 { return .skip("Allocations cannot be counted in this build.") }
      try cycles(subject, 20)
      let moreBlocks = Int64(bitPattern: check_live_blocks()) - blocks
      let moreBytes = Int64(bitPattern: check_live_bytes()) - bytes
      if moreBlocks >= 20 || moreBytes >= 100_000 {
        return .fail("20 lives left \(moreBlocks) blocks of memory behind, \(moreBytes) bytes.")
      }
      let grown = Int64(bitPattern: check_resident()) - resident
      if grown > 16 << 20 { return .fail("20 lives left \(grown >> 20) MB of memory behind.") }
      return .pass
    },
    .source(
      "instance.no-descriptor-left", needs: ["instance.start-answers"],
      after: ["instance.stop-returns"],
      """
      After destroy() no descriptor is open that was not before, from the second life on.
      """
    ) { subject throws(Finding) in
      try cycles(subject, 1)
      let before = check_open_descriptors()
      try cycles(subject, 3)
      let left = added(before, check_open_descriptors())
      return left == 0 ? .pass : .fail("Three lives left \(left) descriptors open.")
    },
    .source(
      "instance.no-thread-left", needs: ["instance.start-answers"],
      after: ["instance.stop-returns"],
      """
      After destroy() no thread of the source runs any more.
      """
    ) { subject throws(Finding) in
      let before = check_threads()
      try cycles(subject, 2)
      // A joined thread may stay listed until the kernel has cleared it away, which nothing tells.
      let deadline = check_now() + 500_000_000
      while check_threads() > before, check_now() < deadline { usleep(5000) }
      let left = Int(check_threads()) - Int(before)
      return left <= 0 ? .pass : .fail("\(left) threads are left.")
    },
    .source(
      "instance.extension-stable", needs: ["instance.create-destroy"],
      """
      extension() answers the same table for the same id each time.
      """
    ) { subject throws(Finding) in
      let source = try subject.create()
      let first = check_extension(source, VOICED_EXT_RENDER)
      for _ in 0..<3 where check_extension(source, VOICED_EXT_RENDER) != first {
        return .fail("extension(\"\(VOICED_EXT_RENDER)\") answered another table.")
      }
      if subject.isHostClock { _ = try subject.rendering(source) }
      check_destroy(source)
      return .pass
    },
  ]

  private static func functions(_ source: Source) throws(Finding) {
    guard source.pointee.start != nil, source.pointee.stop != nil, source.pointee.destroy != nil
    else { throw .fail("start, stop or destroy is NULL.") }
  }

  /// A warning for what took longer than a call on the main thread should.
  private static func quick(_ what: String, since begun: UInt64) -> Finding {
    let spent = Double(check_now() - begun)
    return spent < 1e9 ? .pass : .warn("\(what) took \(milliseconds(spent)).")
  }

  /// So many lives, short ones; a source that refuses to start is made and destroyed only.
  private static func cycles(_ subject: Subject, _ count: Int) throws(Finding) {
    for _ in 0..<count {
      let source = try subject.create()
      if check_start(source, subject.target ?? "", "") == 0 {
        check_loop(source, 10_000_000, 0)
        check_stop(source)
      }
      check_destroy(source)
    }
  }
}
