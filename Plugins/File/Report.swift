import CAV

/// What is told of a file, in sentences.
enum Report {
  /// How much less than its container's claim a file may hold and still be called whole, in seconds:
  /// encoders count their own priming and padding in.
  private static let tolerance = 0.1

  /// One line when a file has been opened.
  static func opening(_ pass: Pass) -> String {
    let findings = pass.findings
    let kind = "\(pass.demuxer.formatName), \(pass.decoder?.name ?? "?")"
    guard findings.rate > 0 else { return kind + ", no sound in it" }
    let channels = findings.channels == 1 ? "1 channel" : "\(findings.channels) channels"
    return "\(kind), \(findings.rate) Hz, \(channels), \(length(pass))"
  }

  /// A claim of the container is told as such, a guess as a guess.
  private static func length(_ pass: Pass) -> String {
    if let claimed = pass.demuxer.claimedSeconds { return "\(seconds(claimed)) by its header" }
    guard let rate = pass.decoder?.bitRate, rate > 0 else { return "length unknown" }
    return "about \(seconds(Double(pass.demuxer.bytes) * 8 / Double(rate))) (estimated)"
  }

  /// Warnings when a file has been played to its end.
  static func warnings(_ pass: Pass, _ file: AudioFile) -> [String] {
    let findings = pass.findings
    var lines: [String] = []
    if let missing = truncation(pass, file) { lines.append(missing) }
    if findings.silenced > 0 {
      lines.append("\(findings.silenced) samples were no numbers: silenced")
    }
    if findings.leftOut > 0 {
      lines.append("\(findings.leftOut) channels beyond \(Sound.mostChannels) were left out")
    }
    return lines
  }

  /// One line when a file has been played to its end: the length is that of what decoded.
  static func closing(_ pass: Pass) -> String {
    let damaged = Int64(pass.decoder?.damagedPackets ?? 0) + pass.findings.strangeFrames
    let played = "played to its end: \(seconds(Int(pass.findings.framesGiven)))"
    return damaged > 0 ? played + ", \(damaged) pieces did not decode" : played
  }

  /// Tells a file that ends before its time, or whose header was never finished.
  private static func truncation(_ pass: Pass, _ file: AudioFile) -> String? {
    guard let played = pass.secondsReached else { return nil }
    if pass.demuxer.isWAV, let header = WAVHeader(file) {
      switch header.claim {
      case .holds: return nil
      case .lacks(let missing):
        return "truncated: \(seconds(played)) of \(seconds(played + missing)) are there"
      case .open:
        return "unfinished: its header tells no length; recovered to the end of the file"
      }
    }
    if let claimed = pass.demuxer.claimedSeconds, played < claimed - tolerance {
      return "truncated: \(seconds(played)) of \(seconds(claimed)) are there"
    }
    let isCut = pass.demuxer.isDamaged || (pass.demuxer.isOgg && !OggEnd.isMarked(in: file))
    return isCut ? "truncated: it breaks off after \(seconds(played))" : nil
  }

  /// Seconds with three decimals.
  static func seconds(_ value: Double) -> String {
    guard value.isFinite, value >= 0, value < 1e12 else { return "? s" }
    let thousandths = Int64((value * 1000).rounded())
    let rest = thousandths % 1000
    return "\(thousandths / 1000).\(rest / 100)\(rest / 10 % 10)\(rest % 10) s"
  }

  /// Frames at 48 kHz, in seconds.
  static func seconds(_ frames: Int) -> String { seconds(Double(frames) / Double(Sound.rate)) }
}
