import VoiceCore
import VoiceIO

/// A take that is over and whose sound is kept.
struct KeptTake: Equatable, Sendable {
  enum State: String, Sendable {
    /// A recording, told by `Finished` or `TakeRecovered`.
    case finished
    /// An interruption cut it off; its sound waits in the recovery area.
    case interrupted
    /// An earlier run of the daemon left its sound behind.
    case recovered
  }

  var take: UInt32
  var state: State
  var facts: RecordingFacts
  /// What `Finished` tells beside the file's own facts.
  var circumstances: Circumstances

  struct Circumstances: Equatable, Sendable {
    var ending = ""
    var source = ""
    var target = ""
    /// Seconds by the clock from the first real sound to the end.
    var elapsed = 0.0
    /// Seconds that were lost meanwhile.
    var gaps = 0.0
    var verdict = ""
  }

  var uri: String { fileURI(facts.path) }

  /// The `details` of `Finished` and `TakeRecovered`.
  var details: [String: BusValue] {
    var details: [String: BusValue] = [
      "media-type": .string(facts.mediaType), "bytes": .uint64(facts.bytes),
      "rate": .uint32(facts.rate), "elapsed": .double(circumstances.elapsed),
      "gaps": .double(circumstances.gaps), "ending": .string(circumstances.ending),
      "source": .string(circumstances.source), "target": .string(circumstances.target),
      "verdict": .string(circumstances.verdict),
    ]
    for (name, values) in facts.exports {
      details["waveform-" + name] =
        name == WaveformExport.raw.name
        ? .doubles(facts.waveform)
        : .array(of: "i", values.map { .int32(Int32(clamping: $0)) })
    }
    return details
  }

  /// The dictionary that `GetTakes` gives of it.
  var listed: [String: BusValue] {
    var listed = details
    listed["take"] = .uint32(take)
    listed["state"] = .string(state.rawValue)
    listed["uri"] = .string(uri)
    listed["duration"] = .double(facts.duration)
    listed["waveform"] = .doubles(facts.waveform)
    return listed
  }
}

/// A file's path as a `file:` URI.
func fileURI(_ path: String) -> String {
  let plain = Set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/-._~".utf8)
  let digits = Array("0123456789ABCDEF".utf8)
  var out = Array("file://".utf8)
  for byte in path.utf8 {
    if plain.contains(byte) {
      out.append(byte)
    } else {
      out += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
    }
  }
  return String(decoding: out, as: UTF8.self)
}

extension KeptTake {
  /// The take as `key=value` lines, for its `.info` file.
  var text: String {
    var fields = facts.fields
    fields["take"] = "\(take)"
    fields["ending"] = circumstances.ending
    fields["source"] = circumstances.source
    fields["target"] = circumstances.target
    fields["elapsed"] = "\(circumstances.elapsed)"
    fields["gaps"] = "\(circumstances.gaps)"
    fields["verdict"] = circumstances.verdict
    return fields.sorted { $0.key < $1.key }.map { key, value in
      // A line end inside a value would begin a line of its own.
      key + "=" + String(value.map { $0.isNewline ? " " : $0 }) + "\n"
    }.joined()
  }

  /// Reads what `text` wrote; `nil` when it is not that.
  init?(text: String, take: UInt32, state: State) {
    var fields: [String: String] = [:]
    for line in text.split(separator: "\n") {
      guard let sign = line.firstIndex(of: "=") else { continue }
      fields[String(line[..<sign])] = String(line[line.index(after: sign)...])
    }
    guard let facts = RecordingFacts(fields: fields) else { return nil }
    func seconds(_ key: String) -> Double {
      fields[key].flatMap { Double($0) }.flatMap { $0.isFinite ? max(0, $0) : nil } ?? 0
    }
    self.init(
      take: take, state: state, facts: facts,
      circumstances: Circumstances(
        ending: fields["ending"] ?? "", source: fields["source"] ?? "",
        target: fields["target"] ?? "", elapsed: seconds("elapsed"), gaps: seconds("gaps"),
        verdict: fields["verdict"] ?? ""))
  }
}
