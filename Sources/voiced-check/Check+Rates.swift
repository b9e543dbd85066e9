import CCheck
import CVoiced

extension Check {
  static let rates: [Check] = [
    .source(
      "rates.format-first", needs: ["clock.first-sound"],
      """
      A source that pushes sound tells the format before its first push; one on the host's clock
      and one of bare levels tell none.
      """
    ) { subject throws(Finding) in
      try heard(subject)
      if !subject.isLevels {
        try require(CHECK_PUSH_UNFORMATTED) { _ in "It pushed sound before it told a format." }
      }
      try require(CHECK_FORMAT_KIND) { _ in "It calls format(), which is not for its kind." }
      try require(CHECK_FORMAT_STOPPED) { _ in "It told a format while stopped." }
      return .pass
    },
    .source(
      "rates.format-sane", needs: ["rates.format-first"],
      """
      The format has its size, 1000 to 768000 frames a second and 1 to 64 channels.
      """
    ) { subject throws(Finding) in
      try soundOnly(subject)
      let source = try subject.create()
      try subject.start(source)
      if subject.isHostClock {
        let format = try subject.format(source)
        if format.size != MemoryLayout<voiced_format>.size {
          return .fail("The size in its format is \(format.size).")
        }
        return .pass("\(format.rate) Hz, \(format.channels) channels.")
      }
      try subject.hear(source, seconds: 0.1)
      try require(CHECK_FORMAT_LIMITS) { "It told a format of \(Int($0)) Hz, or of no channels." }
      try require(CHECK_FORMAT_SIZE) { "The size in its format is \(Int($0))." }
      let seen = check_saw()
      return .pass("\(seen.rate) Hz, \(seen.channels) channels.")
    },
    .source(
      "rates.format-stable", needs: ["rates.format-sane"],
      """
      On the host's clock the format is the same from start() to stop(), before and after sound.
      """
    ) { subject throws(Finding) in
      guard subject.hostClockAsListed else { return .skip("It pushes at its device's clock.") }
      let source = try subject.create()
      try subject.start(source)
      let before = try subject.format(source)
      _ = try subject.render(source, seconds: 0.1)
      let after = try subject.format(source)
      guard before.rate == after.rate, before.channels == after.channels else {
        return .fail("\(before.rate) Hz became \(after.rate) Hz, or its channels changed.")
      }
      return .pass
    },
    .source(
      "rates.frame-counts", needs: ["clock.first-sound"],
      """
      A push has 1 to 65536 frames; a render answers with no more frames than it was asked for.
      """
    ) { subject throws(Finding) in
      try soundOnly(subject)
      let source = try subject.create()
      try subject.start(source)
      if subject.isHostClock {
        let out = try subject.render(source)
        return out.too_many == 0
          ? .pass : .fail("render() answered more frames than asked, \(out.too_many) times.")
      }
      try subject.hear(source)
      try require(CHECK_PUSH_FRAMES) { "It pushed \(Int($0)) frames." }
      return .pass
    },
    .source(
      "rates.channels-as-told", needs: ["rates.frame-counts", "rates.format-sane"],
      """
      There is sound for every channel of the format and for no other: pushes give a pointer for
      each, a render writes every frame it answers for in each, and nothing beside.
      """
    ) { subject throws(Finding) in
      try soundOnly(subject)
      let source = try subject.create()
      try subject.start(source)
      if subject.isHostClock {
        let out = try subject.render(source)
        if out.other_channel > 0 { return .fail("render() wrote a channel beyond the format's.") }
        if out.unwritten > 0 { return .fail("render() answered for frames it did not write.") }
        if out.moved > 0 { return .fail("render() changed the array of channels.") }
        return .pass
      }
      try subject.hear(source)
      try require(CHECK_PUSH_NULL) { "Channel \(Int($0)) of a push is NULL." }
      return .pass
    },
    .source(
      "rates.frames-as-told",
      needs: [
        "rates.format-sane", "rates.frame-counts", "clock.no-flood", "clock.one-audio-thread",
      ],
      """
      As many frames come in a second as the format says, within a third: a source that lies about
      its rate is recorded too fast or too slow.
      """
    ) { subject throws(Finding) in
      try soundOnly(subject)
      if subject.hostClockAsListed { return .skip("The host's clock sets its pace.") }
      let source = try subject.create()
      try subject.start(source)
      try subject.hear(source, seconds: 1)
      let seen = check_saw()
      let spent = Double(seen.last_push_ns - seen.first_push_ns) - Double(seen.lost_ns)
      guard seen.pushes >= 5, spent > 2e8 else { return .skip("Too few pushes came in a second.") }
      let rate = Double(seen.frames - seen.first_frames) / (spent / 1e9)
      let text = "\(Int(rate)) frames came in a second, the format says \(seen.rate)."
      return abs(rate - Double(seen.rate)) < Double(seen.rate) / 3 ? .pass(text) : .fail(text)
    },
  ]
}

extension Check {
  /// Skips what has no sound to judge; reads the flags, so it also loads the library.
  static func soundOnly(_ subject: Subject) throws(Finding) {
    if try subject.flagsAsListed() & UInt32(VOICED_LEVELS_ONLY) != 0 {
      throw .skip("It gives levels, no sound.")
    }
  }

  /// Starts the source and hears it; it is not stopped.
  static func heard(_ subject: Subject, seconds: Double = 0.2) throws(Finding) {
    let source = try subject.create()
    try subject.start(source)
    try subject.hear(source, seconds: seconds)
  }
}

extension Subject {
  /// The flags of the source's info, without making it.
  func flagsAsListed() throws(Finding) -> UInt32 {
    for info in try infos() {
      if let raw = info.pointee.id, String(cString: raw) == id { return info.pointee.flags }
    }
    throw .fail("There is no source \(id) in the library.")
  }

  var hostClockAsListed: Bool {
    let flags = try? flagsAsListed()
    return (flags ?? 0) & UInt32(VOICED_HOST_CLOCK) != 0
  }
}
