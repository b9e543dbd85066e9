import CCheck
import CVoiced

extension Check {
  static let clock: [Check] = [
    .source(
      "clock.first-sound", needs: ["instance.start-answers"],
      """
      Sound (or levels) comes after start(): a render answers more than 0 frames, or something is
      pushed within 3 s. A device that is not there is no fault, unless you named it by --target.
      """
    ) { subject throws(Finding) in
      let source = try subject.create()
      try subject.start(source)
      if subject.isHostClock {
        let out = try subject.render(source, seconds: 0.05)
        return out.frames > 0 ? .pass : .fail("render() answered 0 frames at once.")
      }
      let begun = check_now()
      try subject.hear(source, seconds: 0.05)
      return .pass("After \(milliseconds(Double(check_saw().first_push_ns) - Double(begun))).")
    },
    .source(
      "clock.silent-before-start", needs: ["instance.create-destroy"],
      """
      A source that was made but not started delivers nothing: nobody asked to be heard.
      """
    ) { subject throws(Finding) in
      let source = try subject.create()
      check_loop(source, 150_000_000, 0)
      try require(CHECK_PUSH_STOPPED) { _ in "It pushed before start()." }
      check_destroy(source)
      return .pass
    },
    .source(
      "clock.silent-after-stop", needs: ["instance.stop-returns"], after: ["clock.first-sound"],
      """
      Once stop() has returned nothing is pushed: the microphone is off when the host says so.
      """
    ) { subject throws(Finding) in
      let source = try subject.create()
      try subject.start(source)
      if subject.isHostClock {
        _ = try subject.render(source, seconds: 0.05)
      } else {
        check_loop(source, 150_000_000, 0)
      }
      check_stop(source)
      check_loop(source, 250_000_000, 0)
      try require(CHECK_PUSH_STOPPED) { _ in "It pushed after stop() had returned." }
      check_destroy(source)
      return .pass
    },
    .source(
      "clock.render-advances", needs: ["clock.first-sound"],
      """
      More than a second of sound is rendered, call after call, for a source on the host's clock. Ending
      before that is fine, at the end of its material.
      """
    ) { subject throws(Finding) in
      guard subject.hostClockAsListed else { return .skip("It pushes at its device's clock.") }
      let source = try subject.create()
      try subject.start(source)
      let out = try subject.render(source, seconds: 1.25, sizes: [1024])
      return .pass(out.zeros > 0 ? "It ended after \(out.frames) frames." : "")
    },
    .source(
      "clock.any-block-size", needs: ["rates.channels-as-told"],
      """
      A render of 1, 7, 480, 4096 or 65536 frames writes what it answers for, and nothing past the
      frames it was asked for.
      """
    ) { subject throws(Finding) in
      guard subject.hostClockAsListed else { return .skip("It pushes at its device's clock.") }
      let source = try subject.create()
      try subject.start(source)
      let sizes: [UInt32] = [1, 7, 480, 4096, 64, 1, VOICED_MAX_FRAMES]
      let rate = try subject.format(source).rate
      let seconds = Double(sizes.reduce(0, +)) / Double(rate)
      let out = try subject.render(source, seconds: seconds, sizes: sizes)
      if out.overrun > 0 { return .fail("render() wrote past the frames it was asked for.") }
      if out.unwritten > 0 { return .fail("render() answered for frames it did not write.") }
      return .pass
    },
    .source(
      "clock.end-is-the-end", needs: ["clock.first-sound"], after: ["clock.render-advances"],
      """
      After a render that answered 0, or after ended(), no more sound comes.
      """
    ) { subject throws(Finding) in
      let source = try subject.create()
      try subject.start(source)
      if subject.isHostClock {
        let out = try subject.render(source, seconds: 0.2)
        return out.after_zero == 0 ? .pass : .fail("render() answered 0 and then frames again.")
      }
      try subject.hear(source)
      try require(CHECK_PUSH_ENDED) { _ in "It pushed after it had called ended()." }
      return .pass
    },
    .source(
      "clock.one-audio-thread", needs: ["clock.first-sound"],
      """
      All pushes from start() to stop() come from one thread. Two would tear the sound apart.
      """
    ) { subject throws(Finding) in
      try heard(subject)
      try require(CHECK_PUSH_SECOND_THREAD) { _ in "It pushes from two threads." }
      return .pass
    },
    .source(
      "clock.monotone-time", needs: ["clock.one-audio-thread"],
      """
      The time of a push is never before that of the push before it.
      """
    ) { subject throws(Finding) in
      try heard(subject)
      try require(CHECK_PUSH_BACK) { "The time of a push went back by \(milliseconds($0))." }
      return .pass
    },
    .source(
      "clock.time-is-now", needs: ["clock.one-audio-thread"],
      """
      The time of a push is CLOCK_MONOTONIC, in ns, when its first frame was heard: not in the
      future, and not longer than 2 s ago. Gaps and the start of a take are found by it.
      """
    ) { subject throws(Finding) in
      try heard(subject)
      try require(CHECK_PUSH_FUTURE) { "The time of a push lies \(milliseconds($0)) ahead." }
      try require(CHECK_PUSH_OLD) { "The time of a push lies \(milliseconds($0)) back." }
      return .pass
    },
    .source(
      "clock.no-flood", needs: ["clock.first-sound"],
      """
      Sound comes at the pace of time, not ten times as fast, and levels come no more than 200 times
      a second. The host ends a source that floods it.
      """
    ) { subject throws(Finding) in
      let source = try subject.create()
      try subject.start(source)
      if subject.isHostClock { return .skip("The host's clock sets its pace.") }
      try subject.hear(source, seconds: 0.2)
      let seen = check_saw()
      let spent = max(0.1, Double(seen.last_push_ns - seen.first_push_ns) / 1e9)
      let sound = Double(seen.frames - seen.first_frames) / spent
      if seen.rate > 0, sound > Double(seen.rate) * 10 {
        return .fail("\(Int(sound)) frames came in a second, the format says \(seen.rate).")
      }
      let levels = Double(seen.levels) / spent
      if levels > 250 { return .fail("\(Int(levels)) levels came in a second.") }
      return .pass
    },
    .source(
      "clock.right-kind", needs: ["clock.first-sound"],
      """
      A source gives what its flags say: one of bare levels pushes levels and no sound, one on the
      host's clock pushes nothing at all, any other pushes sound and no levels.
      """
    ) { subject throws(Finding) in
      try heard(subject)
      try require(CHECK_PUSH_KIND) {
        $0 == 0
          ? "It calls push(), which is not for its kind."
          : "It calls push_level() and is no level source."
      }
      return .pass
    },
    .source(
      "clock.samples-finite", needs: ["rates.channels-as-told"],
      """
      Every sample is finite and within 1000 (60 dB over full scale). The host counts others as
      silence, so that one bad sample does not poison a meter or a file.
      """
    ) { subject throws(Finding) in
      let source = try subject.create()
      try subject.start(source)
      if subject.isHostClock {
        let out = try subject.render(source)
        if out.not_finite > 0 { return .fail("\(out.not_finite) samples are not finite.") }
        return out.huge == 0 ? .pass : .fail("\(out.huge) samples are beyond 1000.")
      }
      try subject.hear(source)
      try require(CHECK_SAMPLE_NAN) { _ in "A sample is not finite." }
      try require(CHECK_SAMPLE_HUGE) { "A sample is \($0)." }
      return .pass
    },
    .source(
      "clock.levels-in-range", needs: ["clock.first-sound"],
      """
      Every level that is pushed is finite and within 0 to 1.
      """
    ) { subject throws(Finding) in
      if try subject.flagsAsListed() & UInt32(VOICED_LEVELS_ONLY) == 0 {
        return .skip("It gives sound, no levels.")
      }
      try heard(subject)
      try require(CHECK_LEVEL_RANGE) { "A level is \($0 / 1000)." }
      return .pass
    },
  ]
}
