import CVoiced
import Glibc
import Testing

@Suite("The speech source")
struct SpeechTests {
  private func sound(seed: UInt64, frames: Int, position: UInt64 = 0, block: Int = 1600) -> [Float]
  {
    let voice = SpeechVoice(curve: SpeechCurve(seed: seed))
    return [Float](unsafeUninitializedCapacity: frames) { buffer, count in
      var done = 0
      while let base = buffer.baseAddress, done < frames {
        let length = min(block, frames - done)
        voice.render(into: base + done, count: length, position: position + UInt64(done))
        done += length
      }
      count = frames
    }
  }

  /// The meter's loudness of a stretch, written down again here so that the two can differ.
  private func loudness(_ sound: some Collection<Float>) -> Double {
    let count = Double(sound.count)
    let mean = sound.reduce(0) { $0 + Double($1) } / count
    let power = sound.reduce(0) { $0 + Double($1) * Double($1) } / count - mean * mean
    return loudness(ofPower: power)
  }

  private func loudness(ofPower power: Double) -> Double {
    pow(min(max((decibels(power) + 52) / 52, 0), 1), 1.5)
  }

  @Test("its measured level is its declared curve, within 0.03", arguments: [0, 1, 987_654_321])
  func curve(seed: UInt64) {
    let first = SpeechCurve.cycle * (seed % 3)
    let sound = sound(seed: seed, frames: Int(SpeechCurve.cycle), position: first)
    let curve = SpeechCurve(seed: seed)
    for start in stride(from: 0, to: sound.count - 1600, by: 1200) {
      // What a meter makes of the curve over the same stretch: the mean of its power.
      let levels = (0..<8).map { curve.level(at: first + UInt64(start + 100 + $0 * 200)) }
      let power = levels.reduce(0) { $0 + pow(10, (52 * pow($1, 2 / 3.0) - 52) / 10) } / 8
      let measured = loudness(sound[start..<start + 1600])
      #expect(abs(measured - loudness(ofPower: power)) < 0.015)
      #expect((levels.min() ?? 0) - 0.03 < measured && measured < (levels.max() ?? 0) + 0.03)
    }
  }

  @Test("four phrases in 6.4 s, loud parts up to 0.6...0.85, pauses at 0.02...0.05")
  func shape() {
    let sound = sound(seed: 0, frames: Int(SpeechCurve.cycle))
    let levels = stride(from: 0, to: sound.count, by: 1600).map {
      loudness(sound[$0..<min($0 + 1600, sound.count)])
    }
    let phrases = levels.split(whereSeparator: { $0 < 0.15 }).filter { $0.count > 3 }
    #expect(phrases.count == 4)
    for phrase in phrases {
      #expect((0.6...0.85).contains(phrase.max() ?? 0))
      // 4 to 5 syllables a second: as many rises through the middle of dip and top.
      let syllables = zip(phrase, phrase.dropFirst()).count { $0 < 0.58 && $1 >= 0.58 }
      let seconds = Double(phrase.count) / 30
      #expect((3.9...5.2).contains(Double(syllables) / seconds))
    }
    let pauses = levels.filter { $0 < 0.06 }
    #expect(pauses.count > 30)
    #expect(pauses.allSatisfy { (0.02...0.06).contains($0) })
  }

  @Test("the same seed gives the same bits, however it is cut and wherever it begins")
  func repeatable() {
    let whole = sound(seed: 7, frames: 20_000)
    #expect(sound(seed: 7, frames: 20_000, block: 77) == whole)
    #expect(Array(whole[5001...]) == sound(seed: 7, frames: 14_999, position: 5001, block: 512))
    #expect(sound(seed: 8, frames: 20_000) != whole)
    let far = UInt64.max / 2
    let once = sound(seed: 7, frames: 500, position: far)
    #expect(sound(seed: 7, frames: 500, position: far, block: 9) == once)
  }

  @Test("the built plugin renders what the same source does as plain Swift, bit by bit")
  func plugin() throws {
    let handle = try #require(dlopen(SourceRig.plugin("speech"), RTLD_NOW | RTLD_LOCAL))
    let entry = try #require(dlsym(handle, "voiced_source_library"))
    typealias Entry = @convention(c) (UInt32) -> UnsafePointer<voiced_library>?
    let library = try #require(unsafeBitCast(entry, to: Entry.self)(VOICED_ABI)).pointee
    #expect(library.create?("other", nil) == nil)
    let source = try #require(library.create?("speech", nil))
    defer { source.pointee.destroy?(source) }
    #expect(source.pointee.start?(source, "seven", "") == -ENOENT)
    #expect(source.pointee.start?(source, "18446744073709551616", "") == -ENOENT)
    #expect(source.pointee.start?(source, "7", "") == 0)
    let table = try #require(source.pointee.extension?(source, VOICED_EXT_RENDER))
    let render = table.assumingMemoryBound(to: voiced_render.self).pointee
    #expect(render.format?(source).rate == 48_000)
    let frames = 100_000
    let place = UnsafeMutablePointer<Float>.allocate(capacity: frames)
    defer { place.deallocate() }
    var done = 0
    while done < frames {
      var plane: UnsafeMutablePointer<Float>? = place + done
      let made = render.render?(source, &plane, UInt32(min(1600, frames - done)), UInt64(done)) ?? 0
      try #require(made > 0)
      done += Int(made)
    }
    let plain = sound(seed: 7, frames: frames)
    #expect((0..<frames).allSatisfy { plain[$0].bitPattern == place[$0].bitPattern })
    source.pointee.stop?(source)
  }
}
