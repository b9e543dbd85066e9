import Glibc
import VoiceIO
import VoiceTestKit

/// What a command prints.
struct Output {
  var status: ExitStatus?
  var out: [UInt8]
  var errors: String

  var text: String { String(decoding: out, as: UTF8.self) }
  var lines: [String] { text.split(separator: "\n").map(String.init) }
}

/// Runs a command to its end, a minute at most.
func run(_ words: [String], environment: [String: String] = [:]) throws -> Output {
  let folder = try TemporaryFolder()
  let out = open(folder.path + "/out", O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
  defer { close(out) }
  let process = try RigProcess(
    ChildCommand(
      path: words[0], arguments: Array(words.dropFirst()),
      environment: ProcessEnvironment.all.merging(environment) { $1 }),
    name: words[0], log: folder.path + "/errors", output: out)
  let status = process.wait(60)
  return Output(
    status: status, out: bytes(of: folder.path + "/out"),
    errors: String(decoding: bytes(of: folder.path + "/errors"), as: UTF8.self))
}

func bytes(of path: String) -> [UInt8] {
  let descriptor = open(path, O_RDONLY | O_CLOEXEC)
  guard descriptor >= 0 else { return [] }
  defer { close(descriptor) }
  var facts = stat()
  guard fstat(descriptor, &facts) == 0 else { return [] }
  // Files of /proc have no size.
  return [UInt8](unsafeUninitializedCapacity: max(4096, Int(facts.st_size))) { buffer, filled in
    filled = max(0, read(descriptor, buffer.baseAddress, buffer.count))
  }
}

func write(_ bytes: [UInt8], to path: String) throws {
  let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
  guard descriptor >= 0 else { throw IOError.last("make \(path)") }
  defer { close(descriptor) }
  guard write(descriptor, bytes, bytes.count) == bytes.count else {
    throw IOError.last("write \(path)")
  }
}

/// What really is in an audio file, by the `ffmpeg` command.
struct Heard {
  var codec: String
  var rate: Int
  var channels: Int
  /// What the container claims, in seconds.
  var claimed: Double
  var samples: [Float]
  /// Anything the decoder had to say.
  var warnings: String

  var duration: Double { Double(samples.count) / Double(rate) }
  var peak: Float { samples.reduce(0) { max($0, $1.magnitude) } }

  init(_ path: String) throws {
    let probe = try run([
      "ffprobe", "-v", "error", "-of", "csv=p=0", "-show_entries",
      "stream=codec_name,sample_rate,channels,duration", path,
    ])
    let figures = (probe.lines.first ?? "").split(separator: ",").map(String.init)
    guard figures.count == 4, let rate = Int(figures[1]), let channels = Int(figures[2]) else {
      throw RigFailure("\(path) is no audio: \(probe.errors)")
    }
    (codec, self.rate, self.channels) = (figures[0], rate, channels)
    claimed = Double(figures[3]) ?? .nan
    let decoded = try run([
      "ffmpeg", "-v", "warning", "-nostdin", "-i", path, "-f", "f32le", "-ar", figures[1], "-",
    ])
    samples = decoded.out.withUnsafeBytes { raw in
      (0..<(raw.count / 4)).map { raw.loadUnaligned(fromByteOffset: $0 * 4, as: Float.self) }
    }
    // Said of every mono WAV file that names no loudspeaker.
    let lines = (probe.errors + decoded.errors).split(separator: "\n")
    warnings = lines.filter { !$0.contains("Guessed Channel Layout") }.joined(separator: "\n")
  }

  /// Loudest sample of a stretch, in seconds.
  func peak(from start: Double, to end: Double) -> Float {
    let range = Int(start * Double(rate))..<min(samples.count, Int(end * Double(rate)))
    return samples[range].reduce(0) { max($0, $1.magnitude) }
  }

  /// Times, in seconds, at which a click begins: the first sample above a threshold in 10 ms.
  func clicks(above threshold: Float) -> [Double] {
    var found: [Double] = []
    var quietUntil = 0
    for (index, sample) in samples.enumerated() where index >= quietUntil {
      guard sample.magnitude > threshold else { continue }
      found.append(Double(index) / Double(rate))
      quietUntil = index + rate / 100
    }
    return found
  }
}

/// A click of 2 ms every 20 ms, the first at once, at 48 kHz.
func clicks(frames: Int, amplitude: Float = 0.8) -> [Float] {
  (0..<frames).map { frame in
    let phase = frame % 960
    return phase < 96 ? amplitude * sinf(2 * .pi * 1500 * Float(phase) / 48_000) : 0
  }
}

/// A small generator with a seed, so that a failure comes again.
struct SplitMix {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}
