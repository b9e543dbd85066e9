import Glibc
import VoiceIO

/// Sounds to feed to a virtual microphone: samples at 48 kHz, full scale 1.
package enum Sound {
  package static let rate = 48_000

  package static func silence(_ seconds: Double) -> [Float] {
    [Float](repeating: 0, count: Int(seconds * Double(rate)))
  }

  /// A tone; with whole seconds and whole hertz it repeats without a seam.
  package static func sine(_ seconds: Double, amplitude: Float = 0.5, hertz: Double = 440)
    -> [Float]
  {
    (0..<Int(seconds * Double(rate))).map {
      amplitude * Float(sin(2 * .pi * hertz * Double($0) / Double(rate)))
    }
  }

  /// Short bursts of 1500 Hz at a steady distance, to see where a recording begins and ends.
  package static func clicks(
    _ seconds: Double, period: Double = 0.02, amplitude: Float = 0.8, width: Double = 0.002
  ) -> [Float] {
    let step = Int((period * Double(rate)).rounded())
    let burst = Int((width * Double(rate)).rounded())
    return (0..<Int(seconds * Double(rate))).map {
      let place = $0 % step
      return place < burst
        ? amplitude * Float(sin(2 * .pi * 1500 * Double(place) / Double(rate))) : 0
    }
  }

  /// A voice, repeated or cut to a length, with its loudest sample at `peak` dBFS; the same samples
  /// every time.
  package static func speech(_ seconds: Double, peak: Double = -3) throws -> [Float] {
    let voice = try spoken.get()
    let top = voice.reduce(0) { max($0, abs($1)) }
    let gain = Float(pow(10, peak / 20)) / top
    let count = Int(seconds * Double(rate))
    let one = voice.map { $0 * gain }
    return (0..<count).map { one[$0 % one.count] }
  }

  /// What is really in a sound file, channels mixed to one: by FFmpeg, at the rate asked for.
  package static func decode(_ path: String, rate: Int = Sound.rate) throws -> [Float] {
    let tool = try runTool(
      "ffmpeg",
      [
        "-v", "error", "-nostdin", "-i", path, "-vn", "-ac", "1", "-ar", "\(rate)", "-f", "f32le",
        "-",
      ], timeout: 60)
    guard tool.isSuccess else { throw RigFailure("\(path) does not decode: \(tool.errorText)") }
    return tool.output.withUnsafeBytes { Array($0.bindMemory(to: Float.self)) }
  }

  private static let spoken = Result<[Float], any Error> {
    let folder = try TemporaryFolder()
    let file = folder.path + "/voice.wav"
    let text =
      "The recorder keeps the level of every syllable while it listens to the room. "
      + "Nobody loses a word, whatever happens to the microphone. "
      + "Seven small boats went out before the rain came down on the harbour."
    let tool = try runTool("espeak-ng", ["-s", "165", "-w", file, text], timeout: 20)
    guard tool.isSuccess else { throw RigFailure("espeak-ng failed: \(tool.errorText)") }
    return try decode(file)
  }
}
