/// What the daemon tells a take process.
package enum TakeCommand: Equatable, Sendable {
  /// Make the spool.
  ///
  /// `folder` is the daemon's state folder, `waveforms` the exports wanted, `gain` the user's
  /// `level-gain` in dB, for the bars.
  case open(folder: String, take: UInt32, format: String, waveforms: [String], gain: Double = 0)
  /// The take's first frame in the ring.
  case begin(frame: UInt64)
  /// Record up to this frame of the ring and no further; the latest cut counts.
  case cut(frame: UInt64)
  /// Finish the recording, tell `ready`, and end.
  case keep
  /// Move the closed spool to the recovery folder, tell `kept`, and end.
  case setAside
  /// Delete everything and end.
  case drop

  package var message: ControlMessage {
    switch self {
    case .open(let folder, let take, let format, let waveforms, let gain):
      ControlMessage(
        "open",
        [
          "folder": folder, "take": String(take), "format": format,
          "waveforms": waveforms.joined(separator: " "), "gain": "\(gain)",
        ])
    case .begin(let frame): ControlMessage("begin", ["frame": String(frame)])
    case .cut(let frame): ControlMessage("cut", ["frame": String(frame)])
    case .keep: ControlMessage("keep")
    case .setAside: ControlMessage("set-aside")
    case .drop: ControlMessage("drop")
    }
  }

  /// `nil` for a word this version does not know, or figures that are none.
  package init?(_ message: ControlMessage) {
    switch message.word {
    case "open":
      guard let folder = message["folder"], let format = message["format"],
        let take = message["take"].flatMap({ UInt32($0) })
      else { return nil }
      let waveforms = (message["waveforms"] ?? "").split(separator: " ").map(String.init)
      let gain = message["gain"].flatMap { Double($0) }.flatMap { $0.isFinite ? $0 : nil } ?? 0
      self = .open(folder: folder, take: take, format: format, waveforms: waveforms, gain: gain)
    case "begin", "cut":
      guard let frame = message["frame"].flatMap({ UInt64($0) }) else { return nil }
      self = message.word == "begin" ? .begin(frame: frame) : .cut(frame: frame)
    case "keep": self = .keep
    case "set-aside": self = .setAside
    case "drop": self = .drop
    default: return nil
    }
  }
}

/// What is known of a recording from its own frames.
package struct RecordingFacts: Equatable, Sendable {
  /// Absolute path of the file.
  package var path: String
  /// Seconds, from the file's frames.
  package var duration: Double
  /// Bytes of the file.
  package var bytes: UInt64
  /// Frames a second in the file.
  package var rate: UInt32
  /// MIME type with the parameters its receivers need.
  package var mediaType: String
  /// At most 160 peaks, 0 to 1.
  package var waveform: [Double]
  /// The exports that were asked for, by name (`matrix`, `telegram`, ...): whole numbers, and none for
  /// `raw`, which is `waveform`.
  package var exports: [String: [Int]]
  /// Loudest absolute sample before any limiting, full scale 1.
  package var peak: Double
  /// Seconds that the ring held but the take process came too late for.
  package var missed: Double

  package init(
    path: String, duration: Double, bytes: UInt64, rate: UInt32, mediaType: String,
    waveform: [Double], exports: [String: [Int]] = [:], peak: Double = 0, missed: Double = 0
  ) {
    self.path = path
    self.duration = duration
    self.bytes = bytes
    self.rate = rate
    self.mediaType = mediaType
    self.waveform = waveform
    self.exports = exports
    self.peak = peak
    self.missed = missed
  }
}

/// What a take process tells the daemon.
package enum TakeReport: Equatable, Sendable {
  /// Every frame up to the cut is in the spool, and the spool on the disk.
  case closed
  /// The recording is at its final name; answers `keep`.
  case ready(RecordingFacts)
  /// The spool is at its place in the recovery folder; answers `setAside`.
  case kept(RecordingFacts)
  /// The take cannot go on; what fits is in the spool, which stays valid and can be set aside.
  /// `error` is a short error name of the wire contract (`DiskFull`, `FolderUnusable`, ...).
  case failed(error: String, text: String)

  package var message: ControlMessage {
    switch self {
    case .closed: ControlMessage("closed")
    case .ready(let facts): ControlMessage("ready", facts.fields)
    case .kept(let facts): ControlMessage("kept", facts.fields)
    case .failed(let error, let text): ControlMessage("failed", ["error": error, "text": text])
    }
  }

  /// `nil` for a word this version does not know, or figures that are none.
  package init?(_ message: ControlMessage) {
    switch message.word {
    case "closed": self = .closed
    case "ready", "kept":
      guard let facts = RecordingFacts(fields: message.fields) else { return nil }
      self = message.word == "ready" ? .ready(facts) : .kept(facts)
    case "failed":
      guard let error = message["error"] else { return nil }
      self = .failed(error: error, text: message["text"] ?? "")
    default: return nil
    }
  }
}

extension RecordingFacts {
  /// The facts as text fields, for a control message or an `.info` file.
  package var fields: [String: String] {
    var fields = [
      "path": path, "duration": "\(duration)", "bytes": "\(bytes)", "rate": "\(rate)",
      "media-type": mediaType, "peak": "\(peak)", "missed": "\(missed)",
      "waveform": waveform.map { "\($0)" }.joined(separator: " "),
    ]
    for (name, values) in exports {
      fields["waveform-" + name] = values.map { "\($0)" }.joined(separator: " ")
    }
    return fields
  }

  /// Reads what `fields` wrote; `nil` when a figure is missing, not finite or out of range.
  package init?(fields: [String: String]) {
    func figure(_ key: String) -> Double? {
      fields[key].flatMap { Double($0) }.flatMap { $0.isFinite && $0 >= 0 ? $0 : nil }
    }
    guard let path = fields["path"], let duration = figure("duration"),
      let bytes = fields["bytes"].flatMap({ UInt64($0) }),
      let rate = fields["rate"].flatMap({ UInt32($0) }), let mediaType = fields["media-type"]
    else { return nil }
    let waveform = (fields["waveform"] ?? "").split(separator: " ").compactMap { Double($0) }
    guard waveform.allSatisfy({ (0...1).contains($0) }) else { return nil }
    var exports: [String: [Int]] = [:]
    for (key, value) in fields where key.utf8.starts(with: "waveform-".utf8) {
      exports[String(key.dropFirst("waveform-".count))] =
        value.split(separator: " ").compactMap { Int($0) }
    }
    self.init(
      path: path, duration: duration, bytes: bytes, rate: rate, mediaType: mediaType,
      waveform: waveform, exports: exports, peak: figure("peak") ?? 0,
      missed: figure("missed") ?? 0)
  }
}
