/// The sound of the speech: a soft voiced tone whose measured level is the curve.
///
/// Frame by frame a function of the seed and the frame's number alone, so that however it is cut
/// into blocks, and wherever it begins, the same frames come out.
struct SpeechVoice {
  /// Pitch in hertz, and how far and how fast it wanders.
  static let pitch: UInt64 = 150
  static let vibratoDepth = 2.5
  static let vibratoRate: UInt64 = 5
  /// Amplitude of the second harmonic against the first.
  static let secondHarmonic = 0.35
  /// Amplitude and pitch are worked out every so many frames (1.3 ms) and go straight in between.
  static let step: UInt64 = 64

  let curve: SpeechCurve

  /// Writes frames from a position on; full scale 1.
  func render(into frames: UnsafeMutablePointer<Float>, count: Int, position: UInt64) {
    var done = 0
    var from = control(at: position - position % Self.step)
    while done < count {
      let frame = position &+ UInt64(done)
      let first = frame - frame % Self.step
      let to = control(at: first &+ Self.step)
      // Pitch times rate: the phase in whole numbers, so that no error adds up.
      let begin = Double(first % SpeechCurve.rate * Self.pitch % SpeechCurve.rate)
      let bend = to.bend - from.bend
      let swell = to.amplitude - from.amplitude
      let steps = Int(frame - first)..<min(Int(Self.step), Int(frame - first) + count - done)
      for step in steps {
        let part = Double(step) * (1 / Double(Self.step))
        let pitched = begin + Double(step) * Double(Self.pitch)
        let turns = pitched * (1 / Double(SpeechCurve.rate)) + from.bend + bend * part
        let tone = sine(turns: turns) + Self.secondHarmonic * sine(turns: turns + turns)
        frames[done] = Float(tone * (from.amplitude + swell * part))
        done += 1
      }
      from = to
    }
  }

  /// Amplitude, and the bend of the phase in turns that the vibrato makes.
  private func control(at frame: UInt64) -> (amplitude: Double, bend: Double) {
    let beat =
      Double(frame % SpeechCurve.rate * Self.vibratoRate % SpeechCurve.rate)
      / Double(SpeechCurve.rate)
    // The phase is the integral of the frequency: depth / (2 pi rate) turns.
    let widest = Self.vibratoDepth / (6.283185307179586 * Double(Self.vibratoRate))
    return (amplitude(ofLevel: curve.level(at: frame)), sine(turns: beat) * widest)
  }

  /// The tone's amplitude at which a meter shows a level.
  ///
  /// A meter shows ((dB + 52) / 52)^1.5, decibels of RMS; turned round that is an RMS, and the two
  /// sines of the tone together have the RMS sqrt((1 + h^2) / 2).
  private func amplitude(ofLevel level: Double) -> Double {
    let root = cubeRoot(level)
    let decibels = 52 * root * root - 52
    let rms = exponential(base2: decibels * 0.16609640474436813)  // log2(10) / 20
    return rms * Self.perRMS
  }

  /// sqrt(2 / (1 + h^2)) for the second harmonic above.
  private static let perRMS = 1.3348172885319998
}
