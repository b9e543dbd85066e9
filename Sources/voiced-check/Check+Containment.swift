import CCheck
import CVoiced

extension Check {
  static let containment: [Check] = [
    .source(
      "containment.quiet-output", needs: ["instance.start-answers"],
      after: ["instance.stop-returns", "clock.first-sound"],
      """
      Nothing is written to standard output, which is the host's. Use log().
      """
    ) { subject throws(Finding) in
      try subject.live(try subject.create())
      let bytes = check_output_bytes()
      return bytes == 0 ? .pass : .fail("\(bytes) bytes were written to standard output.")
    },
    .source(
      "containment.no-process", needs: ["instance.start-answers"],
      after: ["instance.stop-returns", "clock.first-sound"],
      """
      No process is started: one would outlive the source and hold what it inherited. Here the
      kernel refuses it.
      """
    ) { subject throws(Finding) in
      let failed = check_refuse_processes()
      if failed != 0 { return .skip("Not possible here: \(errorText(-failed)).") }
      try subject.live(try subject.create())
      let count = check_refused_processes()
      return count == 0 ? .pass : .fail("It tried to start \(count) processes.")
    },
    .source(
      "containment.keeps-descriptors", needs: ["instance.start-answers"],
      after: ["instance.stop-returns", "clock.first-sound"],
      """
      No descriptor is closed that the source did not open: the host's control socket and the
      shared memory of the sound are among them.
      """
    ) { subject throws(Finding) in
      check_lay_canaries()
      try subject.live(try subject.create())
      let lost = check_lost_canaries()
      return lost == 0 ? .pass : .fail("\(lost) of 8 descriptors of the host's were closed.")
    },
    .source(
      "containment.keeps-process", needs: ["instance.start-answers"],
      after: ["instance.stop-returns", "clock.first-sound"],
      """
      Signal handlers, the main thread's signal mask, the working folder, the umask, the locale and
      the environment are the host's and stay as they are.
      """
    ) { subject throws(Finding) in
      check_remember_process()
      try subject.live(try subject.create())
      let changed = String(cString: check_changed_process())
      return changed.isEmpty ? .pass : .fail("It changed \(changed).")
    },
    .source(
      "containment.memory", needs: ["instance.start-answers"],
      after: ["instance.stop-returns", "clock.first-sound"],
      """
      A life takes less than 128 MB of memory. The host's process for a source has a limit, past
      which allocations fail.
      """
    ) { subject throws(Finding) in
      let before = check_resident()
      try subject.live(try subject.create())
      let grown = Int64(check_peak_resident()) - Int64(before)
      return grown < 128 << 20 ? .pass : .fail("It took \(grown >> 20) MB.")
    },
    .source(
      "containment.no-log-flood", needs: ["instance.start-answers"],
      after: ["instance.stop-returns", "clock.first-sound"],
      """
      Fewer than 100 lines are logged in a life of a quarter of a second.
      """
    ) { subject throws(Finding) in
      try subject.live(try subject.create())
      let lines = check_saw().logs
      return lines < 100 ? .pass : .fail("It logged \(lines) lines.")
    },
  ]
}
