import Glibc
import Testing
import VoiceTestKit

/// Real files through the real plugin in the real `voiced-source`, at the pace of time.
@Suite("The file source")
struct FileSourceTests {
  @Test("plays what people have", arguments: FileKind.ordinary)
  func ordinary(kind: FileKind) throws { try check(kind) }

  @Test("plays WAV files as they are written and broken", arguments: FileKind.wav)
  func wav(kind: FileKind) throws { try check(kind) }

  @Test("lets the loudest channel be heard", arguments: FileKind.channels)
  func channels(kind: FileKind) throws { try check(kind) }

  @Test(
    "plays compressed files with tags, pictures, cuts and changes", arguments: FileKind.compressed)
  func compressed(kind: FileKind) throws { try check(kind) }

  private func check(_ kind: FileKind) throws {
    let maker = try FileMaker()
    let path = try kind.make(maker)
    let played = try PlayedFile.inTime(path)
    try #require(played.failure == nil)
    #expect(played.ended == 0)
    #expect(played.linked == path)
    if isSanitized, played.wasLate { return }
    let warnings = played.logged(from: PlayedFile.warning)
    if let warning = kind.warning {
      #expect(warnings.contains { $0.contains(warning) }, "\(warnings)")
    } else {
      #expect(warnings.isEmpty, "\(warnings)")
    }
    #expect(abs(played.sound.count - kind.frames) <= kind.slack, "\(played.sound.count) frames")
    if let onset = kind.onset {
      let found = try #require(played.onset)
      #expect(abs(found - onset) <= kind.onsetSlack, "begins at \(found)")
    }
    if let tone = kind.tone {
      let found = played.tone(FileMaker.steady)
      #expect(abs(found - tone) < 0.02, "tone of \(found)")
    }
    // FFmpeg's libraries take some 40 MB of it.
    #expect(isSanitized || played.memory < 90_000, "\(played.memory) KiB")
  }

  @Test(
    "silences samples that are no numbers before they spread, and marks what is over full scale")
  func notFinite() throws {
    let maker = try FileMaker()
    var sound = FileMaker.material
    sound[1000] = .nan
    sound[2000] = .infinity
    sound[3000] = -.infinity
    sound[4000] = 1e30
    // At another rate, so that it is resampled.
    let path = try maker.wav("a.wav", channels: [sound], rate: 44_100)
    let played = try PlayedFile.inTime(path)
    #expect(played.logged(from: PlayedFile.warning).contains { $0.hasPrefix("3 samples") })
    #expect(played.sound.count == 52_245)
    let spot = 4000 * 48_000 / 44_100
    #expect(played.sound[(spot - 3)...(spot + 3)].contains { abs($0) >= 0.99 })
    for index in 0..<20_000 where abs(index - spot) > 40 { #expect(played.sound[index] == 0) }
  }

  @Test("passes what is louder than full scale on, to be marked as clipped")
  func clipped() throws {
    let maker = try FileMaker()
    let played = try PlayedFile.inTime(try maker.wav("a.wav", gains: [16]))
    #expect(played.sound.filter { abs($0) >= 0.9999 }.count > 5_000)
  }

  @Test("plays denormals as silence")
  func denormals() throws {
    let maker = try FileMaker()
    let quiet = [Float](repeating: Float(bitPattern: 70_000), count: 44_100)
    let played = try PlayedFile.inTime(try maker.wav("a.wav", channels: [quiet], rate: 44_100))
    #expect(played.sound.count == 48_000)
    #expect(played.sound.allSatisfy { $0 == 0 })
  }

  @Test("calls an estimated length estimated, and tells what really decoded at the end")
  func estimated() throws {
    let maker = try FileMaker()
    let path = try maker.ffmpeg(
      "a.mp3", "-q:a", "4", "-write_xing", "0", "-c:a", "libmp3lame", "-id3v2_version", "0")
    let played = try PlayedFile.inTime(path)
    let lines = played.logged()
    #expect(lines.contains { $0.contains("about") && $0.contains("estimated") })
    #expect(lines.contains { $0.hasPrefix("played to its end: 1.0") })
  }

  @Test("refuses what is no audio and says why", arguments: RefusedFile.all)
  func refused(file: RefusedFile) throws {
    let maker = try FileMaker()
    let played = try PlayedFile(try file.make(maker), options: file.options)
    let failure = try #require(played.failure)
    #expect(failure.code == file.code)
    #expect(played.sound.isEmpty)
    let lines = played.logged(from: PlayedFile.warning + 1)
    #expect(lines.contains { $0.contains(file.reason) }, "\(lines)")
  }

  @Test("begins at the second asked for, to the frame")
  func start() throws {
    let maker = try FileMaker()
    let noise = (0..<240_000).map { Float(sin(Double($0 * $0 % 48_000))) * 0.4 }
    let path = try maker.wav("a.wav", channels: [noise])
    for begin in [0.25, 4.5] {
      let played = try PlayedFile.inTime(path, options: "start=\(begin)\n", frames: 9_600)
      let first = Int(begin * 48_000)
      #expect(Array(noise[first..<first + 9_600]) == Array(played.sound[..<9_600]))
    }
    let flac = try maker.ffmpeg("b.flac", from: ["-i", path], "-c:a", "flac")
    let played = try PlayedFile.inTime(flac, options: "start=4\n")
    #expect(played.sound.count == 48_000)
    let difference = zip(played.sound, noise[192_000...]).map { abs($0 - $1) }.max() ?? 1
    #expect(difference < 1e-4)
  }

  @Test("begins to the frame where packets are longer than a second, in the first one too")
  func startInLongPackets() throws {
    let maker = try FileMaker()
    let noise = (0..<240_000).map { Float(sin(Double($0 * $0 % 48_000))) * 0.4 }
    let path = try maker.wav("a.wav", channels: [noise])
    // A packet of TTA is 256/245 of a second; of FLAC at 8 kHz as long as it is asked to be.
    let tta = try maker.ffmpeg("b.tta", from: ["-i", path], "-c:a", "tta")
    let flac = try maker.ffmpeg(
      "c.flac", from: ["-i", path], "-ar", "8000", "-c:a", "flac", "-frame_size", "32768")
    for begin in [2.1, 3.12, 4.17] {
      let played = try PlayedFile.inTime(tta, options: "start=\(begin)\n")
      let first = Int((begin * 48_000).rounded())
      #expect(played.sound.count == 240_000 - first, "\(begin)")
      let difference = zip(played.sound, noise[first...]).map { abs($0 - $1) }.max() ?? 1
      #expect(difference < 1e-3, "\(begin): \(difference)")
      let resampled = try PlayedFile.inTime(flac, options: "start=\(begin)\n")
      #expect(abs(resampled.sound.count - (240_000 - first)) < 50, "\(begin): FLAC")
    }
  }

  @Test("begins where a file with gaps says, though a gap is longer than any packet")
  func startBehindGaps() throws {
    let maker = try FileMaker()
    // Sound from 0 to 3 s, 33 to 36 s and 39 to 45 s of its time: at 42 s a tone begins.
    let tone = "aevalsrc=0.25*sin(2*PI*1000*t)*gte(t\\,9):d=12:s=48000"
    let path = try maker.ffmpeg(
      "a.mka", from: ["-f", "lavfi", "-i", tone], "-af",
      "asetpts='PTS+if(gte(T,3),30/TB,0)+if(gte(T,6),3/TB,0)'", "-c:a", "libmp3lame",
      "-fps_mode", "passthrough")
    let played = try PlayedFile.inTime(path, options: "start=41\n")
    #expect(abs(played.sound.count - 4 * 48_000) < 4800, "\(played.sound.count)")
    #expect(abs(try #require(played.onset) - 48_000) <= 2400, "\(played.onset ?? -1)")
  }

  @Test("begins far inside a compressed file, where it says")
  func distantStart() throws {
    let maker = try FileMaker()
    let tone = "aevalsrc=0.25*sin(2*PI*1000*t)*gte(t\\,199):d=200:s=48000"
    let path = try maker.ffmpeg("a.mp3", from: ["-f", "lavfi", "-i", tone], "-b:a", "64k")
    let played = try PlayedFile.inTime(path, options: "start=198.5\n")
    #expect(played.sound.count == 72_000)
    #expect(abs(try #require(played.onset) - 24_000) <= 100)
  }

  @Test("plays the last second of a WAV beyond 4 GiB, with RF64 and with a size that wrapped")
  func beyondFourGiB() throws {
    let maker = try FileMaker()
    let silence = 5 << 30
    let size = silence + RiffFile.samples.count
    for isLong in [true, false] {
      let path = try maker.bytes("a.wav", RiffFile.head(data: size, isLong: isLong))
      try maker.append(RiffFile.samples, to: path, after: silence)
      let played = try PlayedFile.inTime(path, options: "start=\(silence / 96_000).0\n")
      // The start in whole seconds lies some frames before the end of the silence.
      let more = silence % 96_000 / 2
      #expect(played.sound.count == 48_000 + more)
      #expect(abs(try #require(played.onset) - FileMaker.onset - more) <= 4)
    }
  }

  @Test("ends at once when it is to begin beyond the end")
  func startBeyond() throws {
    let maker = try FileMaker()
    let played = try PlayedFile(try maker.wav("a.wav"), options: "start=60\n")
    #expect(played.ended == 0 && played.sound.isEmpty)
  }

  @Test("loops without a seam, from where it began", arguments: [0, 0.5])
  func loop(begin: Double) throws {
    let maker = try FileMaker()
    let path = try maker.wav("a.wav")
    let played = try PlayedFile.inTime(path, options: "loop=1\nstart=\(begin)\n", frames: 120_000)
    let round = Array(FileMaker.material[Int(begin * 48_000)...])
    let seam = (0..<120_000).first { abs(played.sound[$0] - round[$0 % round.count]) > 1e-9 }
    #expect(seam == nil)
    #expect(played.ended == nil)
    #expect(played.logged(from: PlayedFile.warning).isEmpty)
  }

  @Test("keeps a forged header from taking memory", arguments: [65_535, 0x7FFF_FFFF])
  func forged(rate: Int) throws {
    let maker = try FileMaker()
    let format = RiffFile.format(channels: 65_535, rate: rate)
    let path = try maker.bytes(
      "a.wav", RiffFile([("fmt ", format), ("data", RiffFile.samples)]).bytes)
    let played = try PlayedFile.inTime(path)
    #expect(played.failure?.code == -EILSEQ)
    #expect(isSanitized || played.memory < 90_000)
  }
}
