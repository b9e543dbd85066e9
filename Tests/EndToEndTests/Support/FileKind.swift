import Testing
import VoiceTestKit

/// A kind of audio file that must play, with what is right of it.
struct FileKind: Sendable, CustomTestStringConvertible {
  let testDescription: String
  /// Frames at 48 kHz that must come out, and how many more or fewer may.
  var frames = 48_000
  var slack = 0
  /// Where the tone begins, and how far off it may.
  var onset: Int? = FileMaker.onset
  var onsetSlack = 4
  /// Amplitude of the tone; `nil` when it is not looked at.
  var tone: Double? = 0.25
  /// What a warning must say; `nil` when none may come.
  var warning: String?
  let make: @Sendable (FileMaker) throws -> String

  init(_ name: String, _ make: @escaping @Sendable (FileMaker) throws -> String) {
    testDescription = name
    self.make = make
  }

  func with(_ change: (inout FileKind) -> Void) -> FileKind {
    var kind = self
    change(&kind)
    return kind
  }

  /// A codec that loses something, or a resampler, moves the tone's edge by a millisecond or so.
  var lossy: FileKind { with { $0.onsetSlack = 100 } }
}

extension FileKind {
  /// What people have.
  static let ordinary = [
    FileKind("WAV, 16 bit") { try $0.ffmpeg("a.wav", "-c:a", "pcm_s16le") },
    FileKind("FLAC") { try $0.ffmpeg("a.flac") },
    FileKind("MP3 with its delay told") { try $0.ffmpeg("a.mp3", "-c:a", "libmp3lame") }.lossy,
    FileKind("Ogg Vorbis") { try $0.ffmpeg("a.ogg", "-c:a", "libvorbis") }.lossy
      .with { $0.slack = 128 },
    FileKind("Opus: pre-skip and end trim") { try $0.ffmpeg("a.opus", "-c:a", "libopus") }.lossy,
    FileKind("WebM") { try $0.ffmpeg("a.webm", "-c:a", "libopus") }.lossy,
    FileKind("m4a, index at the end: 128 frames of padding play") {
      try $0.ffmpeg("a.m4a", "-c:a", "aac")
    }.lossy.with { $0.slack = 1024 },
    FileKind("m4a, lossless") { try $0.ffmpeg("a.m4a", "-c:a", "alac") },
    FileKind("WavPack") { try $0.ffmpeg("a.wv", "-c:a", "wavpack") },
    FileKind("AIFF, 24 bit") { try $0.ffmpeg("a.aiff", "-c:a", "pcm_s24be") },
    FileKind("CAF") { try $0.ffmpeg("a.caf", "-c:a", "pcm_s16le") },
    FileKind("the sound of a film") {
      try $0.ffmpeg(
        "a.mp4",
        from: ["-f", "lavfi", "-i", "testsrc=d=1:s=64x64", "-i", try $0.wav("b.wav")],
        "-c:a", "aac")
    }.lossy.with { $0.slack = 1024 },
  ]

  /// WAV files as other programs write and break them.
  static let wav = [
    FileKind("an odd chunk with its pad byte") {
      try $0.bytes(
        "a.wav",
        RiffFile([
          ("fmt ", RiffFile.format()), ("LIST", Array("INFOISFT\u{1}\0\0\0x".utf8)),
          ("data", RiffFile.samples),
        ]).bytes)
    },
    FileKind("data before its format") {
      try $0.bytes(
        "a.wav", RiffFile([("data", RiffFile.samples), ("fmt ", RiffFile.format())]).bytes)
    },
    FileKind("a chunk after the data is no sound") {
      try $0.bytes(
        "a.wav",
        RiffFile([
          ("fmt ", RiffFile.format()), ("data", RiffFile.samples),
          ("id3 ", [UInt8](repeating: 0x55, count: 51_200)),
        ]).bytes)
    },
    FileKind("a data size of 0, never written") {
      try $0.bytes(
        "a.wav",
        RiffFile([("fmt ", RiffFile.format()), ("data", RiffFile.samples)], data: 0).bytes)
    }.with { $0.warning = "unfinished" },
    FileKind("a data size of all ones, as from a pipe") {
      try $0.bytes(
        "a.wav",
        RiffFile([("fmt ", RiffFile.format()), ("data", RiffFile.samples)], data: 0xFFFF_FFFF)
          .bytes)
    }.with { $0.warning = "unfinished" },
    FileKind("cut in the middle of a sample") {
      try $0.bytes("a.wav", Array(RiffFile.plain.bytes[..<(44 + 64_001)]))
    }.with {
      $0.frames = 32_000
      $0.warning = "truncated: 0.667 s of 1.000 s"
    },
    FileKind("EXTENSIBLE, 24 bit") { try $0.ffmpeg("a.wav", "-c:a", "pcm_s24le") },
    FileKind("20 valid bits in 24") {
      let whole = try $0.ffmpeg("b.wav", "-c:a", "pcm_s24le")
      return try $0.patched("a.wav", of: whole, at: 12 + 8 + 18, [20, 0])
    },
    FileKind("a PCM tag with a format of 40 bytes") {
      let format = RiffFile.format(more: [UInt8](repeating: 0, count: 24))
      return try $0.bytes(
        "a.wav", RiffFile([("fmt ", format), ("data", RiffFile.samples)]).bytes)
    },
    FileKind("RF64") { try $0.ffmpeg("a.wav", "-rf64", "always") },
    FileKind("mu-law, 8 kHz") { try $0.ffmpeg("a.wav", "-ar", "8000", "-c:a", "pcm_mulaw") }.lossy,
    FileKind("192 kHz, 32 bit, stereo") {
      try $0.ffmpeg("a.wav", "-ar", "192000", "-af", "pan=stereo|c0=c0|c1=c0", "-c:a", "pcm_s32le")
    }.lossy,
    FileKind("44.1 kHz") { try $0.ffmpeg("a.wav", "-ar", "44100") }.lossy,
    FileKind("8 bit") { try $0.ffmpeg("a.wav", "-c:a", "pcm_u8") }.with { $0.onsetSlack = 8 },
    FileKind("64-bit floats") { try $0.ffmpeg("a.wav", "-c:a", "pcm_f64le") },
    FileKind("one sample") {
      try $0.bytes("a.wav", RiffFile([("fmt ", RiffFile.format()), ("data", [0, 64])]).bytes)
    }.with {
      $0.frames = 1
      $0.onset = nil
      $0.tone = nil
    },
    FileKind("a header without sound is a file of no length") {
      try $0.bytes("a.wav", RiffFile([("fmt ", RiffFile.format()), ("data", [])]).bytes)
    }.with {
      $0.frames = 0
      $0.onset = nil
      $0.tone = nil
    },
  ]

  /// Channels: the loudest is heard, whichever it is, and none weakens another.
  static let channels = [
    FileKind("5.1 with the centre alone") {
      try $0.ffmpeg("a.flac", "-af", "pan=5.1|FC=c0")
    }.heardLater,
    FileKind("the third of six channels") {
      try $0.wav("a.wav", gains: [0, 0, 1, 0, 0, 0])
    }.heardLater,
    FileKind("the last of 64 channels") {
      try $0.wav("a.wav", gains: [Float](repeating: 0, count: 63) + [1])
    }.heardLater,
    FileKind("more channels than are taken") {
      try $0.wav("a.wav", gains: [1] + [Float](repeating: 0, count: 69))
    }.with { $0.warning = "left out" },
    FileKind("anti-phase") { try $0.wav("a.wav", gains: [1, -1]) },
    FileKind("left alone") { try $0.wav("a.wav", gains: [1, 0]) },
    FileKind("right alone, 16 kHz") {
      try $0.wav("a.wav", gains: [0, 1], rate: 16_000)
    }.with {
      $0.frames = 144_000
      $0.onset = FileMaker.onset * 3
      $0.onsetSlack = 3840
      $0.tone = nil
    },
  ]

  /// The host follows the loudest channel: the change takes a moment.
  private var heardLater: FileKind { with { $0.onsetSlack = 3840 } }

  /// Tags, cover art, cuts and chains.
  static let compressed = [
    FileKind("MP3 behind 8 MB of cover art") {
      let sound = try $0.ffmpeg("b.mp3", "-c:a", "libmp3lame", "-id3v2_version", "0")
      let tag = try $0.bytes("tag", Self.tag(8 << 20))
      return try $0.joined("a.mp3", tag, sound)
    }.lossy,
    FileKind("MP3 with two tags") {
      let sound = try $0.ffmpeg("b.mp3", "-c:a", "libmp3lame")
      return try $0.joined("a.mp3", $0.bytes("tag", Self.tag(1000)), sound)
    }.lossy,
    FileKind("FLAC with a picture") { try Self.withPicture("a.flac", "flac", $0) },
    FileKind("m4a with a picture") { try Self.withPicture("a.m4a", "aac", $0) }.lossy
      .with { $0.slack = 1024 },
    FileKind("MP3 without a table: plays to its real end") {
      try $0.ffmpeg(
        "a.mp3", "-q:a", "4", "-write_xing", "0", "-c:a", "libmp3lame", "-id3v2_version", "0")
    }.with {
      $0.slack = 2400
      $0.onsetSlack = 1300
    },
    FileKind("truncated MP3") {
      try $0.part("a.mp3", of: $0.ffmpeg("b.mp3", "-c:a", "libmp3lame")) { 0..<$0 * 4 / 5 }
    }.truncated(frames: 38_400),
    FileKind("truncated Opus") {
      try $0.part("a.opus", of: $0.ffmpeg("b.opus", "-c:a", "libopus", "-page_duration", "100000"))
      { 0..<$0 * 4 / 5 }
    }.truncated(frames: 38_400),
    FileKind("truncated m4a with its index first") {
      try $0.part("a.m4a", of: $0.ffmpeg("b.m4a", "-c:a", "aac", "-movflags", "+faststart")) {
        0..<$0 * 9 / 10
      }
    }.truncated(frames: 37_000),
    FileKind("fragmented m4a without an edit list: 1024 frames of priming play") {
      try $0.ffmpeg(
        "a.m4a", "-c:a", "aac", "-movflags", "+frag_keyframe+empty_moov+default_base_moof",
        "-use_editlist", "0")
    }.with {
      $0.frames = 49_024
      $0.slack = 1024
      $0.onset = FileMaker.onset + 1024
      $0.onsetSlack = 100
    },
    FileKind("fragmented m4a, truncated") {
      let whole = try $0.ffmpeg(
        "b.m4a", "-c:a", "aac", "-movflags", "+empty_moov+default_base_moof", "-frag_duration",
        "100000")
      return try $0.part("a.m4a", of: whole) { 0..<$0 * 4 / 5 }
    }.truncated(frames: 38_000).with { $0.onsetSlack = 1200 },
    FileKind("chained Ogg: rate and channels change in the middle") {
      let first = try $0.ffmpeg("b.ogg", "-c:a", "libvorbis", "-ar", "44100")
      let second = try $0.ffmpeg("c.ogg", "-c:a", "libvorbis", "-ar", "32000", "-ac", "2")
      return try $0.joined("a.ogg", first, second)
    }.lossy.with {
      $0.frames = 96_000
      $0.slack = 2400
    },
  ]

  /// How much is left is the encoder's affair; that it plays and is told is ours.
  private func truncated(frames: Int) -> FileKind {
    with {
      $0.frames = frames
      $0.slack = 8_000
      $0.onsetSlack = 100
      $0.warning = "truncated"
    }
  }

  private static func tag(_ size: Int) -> [UInt8] {
    let length = (0..<4).map { UInt8(size >> (7 * (3 - $0)) & 0x7F) }
    return Array("ID3".utf8) + [3, 0, 0] + length + [UInt8](repeating: 0xFB, count: size)
  }

  private static func withPicture(
    _ name: String, _ codec: String, _ maker: FileMaker
  ) throws -> String {
    let picture = try maker.ffmpeg(
      "p.png", from: ["-f", "lavfi", "-i", "testsrc=s=640x480"], "-frames:v", "1")
    return try maker.ffmpeg(
      name, from: ["-i", try maker.wav("b.wav"), "-i", picture], "-map", "0", "-map", "1", "-c:a",
      codec, "-c:v", "copy", "-disposition:v", "attached_pic")
  }
}
