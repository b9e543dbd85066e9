import CCheck
import CVoiced

extension Check {
  static let realtime: [Check] = [
    .source(
      "realtime.no-allocation-in-render", needs: ["clock.first-sound"],
      """
      render() neither allocates nor frees memory: an allocator may wait for another thread or for
      the kernel, and then the sound has a hole.
      """
    ) { subject throws(Finding) in
      if check_live_blocks() == 0 { return .skip("Allocations cannot be counted in this build.") }
      let out = try watched(subject)
      if out.allocations == 0 { return .pass }
      return .fail("\(out.calls) calls of render() asked the allocator \(out.allocations) times.")
    },
    .source(
      "realtime.no-lock-in-render", needs: ["clock.first-sound"],
      """
      render() takes no mutex: whoever holds it may be any thread, of any priority. Use atomics.
      """
    ) { subject throws(Finding) in
      if check_live_blocks() == 0 { return .skip("Locks cannot be counted in this build.") }
      let out = try watched(subject)
      if out.locks == 0 { return .pass }
      return .fail("\(out.calls) calls of render() took a mutex \(out.locks) times.")
    },
    .source(
      "realtime.no-system-call-in-render",
      needs: ["realtime.no-allocation-in-render", "realtime.no-lock-in-render"],
      """
      render() makes no system call: no file, no socket, no sleep, no log. Reading the clock is
      none. Found out by the kernel, on x86-64 from Linux 5.11 on.
      """
    ) { subject throws(Finding) in
      if check_can_watch_calls() == 0 { return .skip("This kernel cannot tell.") }
      let out = try watched(subject, flags: UInt32(CHECK_WATCH_CALLS))
      if out.system_call < 0 { return .pass }
      return .fail("render() made system call number \(out.system_call).")
    },
    .source(
      "realtime.render-is-quick", needs: ["clock.first-sound"],
      """
      A quarter of a second of sound takes less than a tenth of that to render, of processor time.
      A half of it and more is a failure: the host has other things to do.
      """
    ) { subject throws(Finding) in
      let out = try watched(subject)
      let spent = Double(out.cpu_ns) / 1e9
      let text = "0.25 s of sound took \(Int(spent * 1000)) ms to render."
      if spent > 0.125 { return .fail(text) }
      return spent > 0.025 ? .warn(text) : .pass
    },
    .source(
      "realtime.same-pace", needs: ["clock.render-advances"],
      """
      Rendered at the pace of real time, on a thread of its own, as the host does it, sound comes.
      """
    ) { subject throws(Finding) in
      guard subject.hostClockAsListed else { return .skip("It pushes at its device's clock.") }
      let source = try subject.create()
      try subject.start(source)
      let out = try subject.render(source, seconds: 0.25, flags: UInt32(CHECK_PACED))
      return out.frames > 0 ? .pass : .fail("Nothing came.")
    },
  ]

  private static func watched(
    _ subject: Subject, flags: UInt32 = 0
  ) throws(Finding) -> check_rendered {
    guard subject.hostClockAsListed else {
      throw .skip("It has no render(); its audio thread is its own.")
    }
    let source = try subject.create()
    try subject.start(source)
    return try subject.render(source, flags: flags)
  }
}
