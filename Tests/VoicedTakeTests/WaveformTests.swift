import Glibc
import Testing
import VoiceCore
import VoiceIO
import VoiceTestKit

@Suite(.serialized) struct WaveformTests {
  private let folder: TemporaryFolder
  init() throws { folder = try TemporaryFolder() }

  /// The numbers that are printed for a file.
  private func waveform(_ path: String, _ name: String = "raw") throws -> [Double] {
    let output = try run(
      [TakeRig.program, "--waveform", path, name], environment: ["LC_ALL": "de_DE.UTF-8"])
    guard output.status == .exited(0), output.lines.count == 1 else {
      throw RigFailure("\(path): \(output.errors)")
    }
    let inside = output.lines[0].dropFirst().dropLast()
    return inside.split(separator: ",").compactMap { Double($0) }
  }

  /// One second of silence, one of a tone at 0.25, one of silence, through `ffmpeg`.
  private func make(_ name: String, _ options: [String]) throws -> String {
    let path = folder.path + "/" + name
    let tone = "aevalsrc=0.25*sin(2*PI*1000*t)*between(t\\,1\\,2):s=48000:d=3"
    let output = try run(["ffmpeg", "-v", "error", "-f", "lavfi", "-i", tone] + options + [path])
    guard output.status == .exited(0) else { throw RigFailure(output.errors) }
    return path
  }

  @Test(
    "silence, a tone and silence look like that in every kind of file",
    arguments: [
      ("a.wav", []), ("b.flac", []), ("c.mp3", ["-c:a", "libmp3lame"]),
      ("d.ogg", ["-c:a", "libvorbis"]), ("e.opus", ["-c:a", "libopus"]),
      ("f.m4a", ["-c:a", "aac"]),
      ("g.webm", ["-c:a", "libopus"]), ("h.aiff", []), ("i.wav", ["-rf64", "always"]),
      ("j.wav", ["-ar", "8000", "-c:a", "pcm_mulaw"]), ("k.wav", ["-c:a", "pcm_s24le"]),
      ("l.wav", ["-ar", "192000", "-c:a", "pcm_s32le", "-af", "pan=stereo|c0=c0|c1=c0"]),
      ("m.wav", ["-c:a", "adpcm_ima_wav"]), ("n.aac", ["-c:a", "aac"]), ("o.caf", []),
      ("p.ts", ["-c:a", "aac"]), ("q.wav", ["-c:a", "pcm_u8"]), ("r.wav", ["-c:a", "pcm_f64le"]),
      ("s.flac", ["-af", "pan=5.1|FC=c0"]), ("t.wav", ["-af", "pan=stereo|c0=c0|c1=-1*c0"]),
      ("u.wav", ["-af", "pan=stereo|c0=c0"]),
      ("v.m4a", ["-c:a", "aac", "-movflags", "+frag_keyframe+empty_moov+default_base_moof"]),
    ] as [(String, [String])])
  func kinds(name: String, options: [String]) throws {
    let bars = try waveform(make(name, options))
    // Codecs add up to two frames of their own.
    #expect((60...63).contains(bars.count))
    // 0.25 of full scale is -15 dB as a sine: (37 / 52) ^ 1.5.
    for (index, bar) in bars.enumerated() {
      if index < 18 || index > 43 { #expect(bar < 0.05, "window \(index)") }
      if (22..<38).contains(index) { #expect(abs(bar - 0.6) < 0.03, "window \(index)") }
    }
  }

  @Test("exports have their counts and ranges, also of nothing and of what are no numbers")
  func exports() throws {
    let nan = folder.path + "/nan.wav"
    var bytes = Array("RIFF".utf8) + [0, 0, 0, 0] + Array("WAVEfmt ".utf8) + [16, 0, 0, 0]
    bytes += [3, 0, 1, 0, 0x80, 0xBB, 0, 0, 0, 0xEE, 2, 0, 4, 0, 32, 0]
    bytes += Array("data".utf8) + [0, 0, 0, 0]
    for index in 0..<24_000 { bytes += [0, 0, index % 2 == 0 ? 0xC0 : 0x80, 0x7F] }
    try write(bytes, to: nan)
    let empty = folder.path + "/empty.wav"
    try write(Array(bytes.prefix(44)), to: empty)
    let tone = try make("tone.wav", [])
    for (name, top, count) in [
      ("matrix", 1024, 100), ("matrix256", 256, 100), ("telegram", 255, 63), ("whatsapp", 100, 64),
    ] {
      let values = try waveform(tone, name)
      #expect(values.count == count)
      #expect(values.allSatisfy { $0.rounded() == $0 && (0...Double(top)).contains($0) })
      #expect(values.contains { $0 > 0 })
      #expect(try waveform(nan, name).allSatisfy { $0 == 0 })
      #expect(try waveform(empty, name).allSatisfy { $0 == 0 })
    }
    #expect(try waveform(nan).allSatisfy { $0 == 0 })
    #expect(try waveform(empty) == [])
  }

  @Test("packed forms are base64 of their bytes")
  func packed() throws {
    let tone = try make("tone.wav", [])
    for (name, count) in [("telegram", 63), ("whatsapp", 64)] {
      let output = try run([TakeRig.program, "--waveform", tone, name, "--packed"])
      let decoded = try run(["sh", "-c", "printf %s \"$0\" | base64 -d", output.lines[0]]).out
      #expect(decoded.count == count)
      #expect(try waveform(tone, name) == decoded.map { Double($0) })
    }
  }

  @Test("what cannot be read is refused in one plain sentence, and named by the exit status")
  func refused() throws {
    let text = folder.path + "/text.mp3"
    try write(Array("Dear reader,\nthis is no music.\n".utf8), to: text)
    let video = folder.path + "/video.mp4"
    _ = try run(["ffmpeg", "-v", "error", "-f", "lavfi", "-i", "testsrc=d=1", video])
    let whole = try make("whole.m4a", ["-c:a", "aac"])
    let cut = folder.path + "/cut.m4a"
    try write(Array(bytes(of: whole).prefix(9000)), to: cut)
    let zero = folder.path + "/zero.wav"
    try write([], to: zero)
    let pipe = folder.path + "/pipe"
    #expect(mkfifo(pipe, 0o600) == 0)
    let cases: [(String, String, Int32)] = [
      (folder.path + "/none.wav", "raw", 3), (folder.path, "raw", 4), (text, "raw", 4),
      (video, "raw", 4), (cut, "raw", 4), (zero, "raw", 4), (pipe, "raw", 4), (whole, "none", 2),
    ]
    for (path, name, status) in cases {
      let output = try run([TakeRig.program, "--waveform", path, name])
      #expect(output.status == .exited(status), "\(path)")
      #expect(output.out == [])
      #expect(output.errors.split(separator: "\n").count == 1, "\(output.errors)")
      #expect(output.errors.hasPrefix("voiced-take: "))
    }
    let packed = try run([TakeRig.program, "--waveform", whole, "raw", "--packed"])
    #expect(packed.status == .exited(2))
  }

  @Test("a WAV file that is cut short is shown as far as it goes, and said to be so")
  func cutShort() throws {
    let whole = try make("whole.wav", [])
    let cut = folder.path + "/cut.wav"
    try write(Array(bytes(of: whole).prefix(200_000)), to: cut)
    for (path, isCut) in [(whole, false), (cut, true)] {
      let output = try run([TakeRig.program, "--waveform", path, "raw"])
      #expect(output.status == .exited(0) && output.lines.count == 1)
      #expect(output.errors.contains("cut short") == isCut, "\(output.errors)")
      #expect(output.errors.split(separator: "\n").count == (isCut ? 1 : 0))
    }
    #expect(try waveform(cut).count < waveform(whole).count)
  }

  @Test("a file makes the decoder open no other one")
  func opensNothingElse() throws {
    let secret = try make("secret.wav", [])
    let texts = [
      "a.m3u8": "#EXTM3U\n#EXT-X-TARGETDURATION:3\n#EXTINF:3,\n\(secret)\n#EXT-X-ENDLIST\n",
      "b.mp3": "ffconcat version 1.0\nfile '\(secret)'\n",
      "c.wav": "ffconcat version 1.0\nfile secret.wav\n",
      "d.ogg": "#EXTM3U\nfile://\(secret)\n",
      "e.sdp": "v=0\no=- 0 0 IN IP4 127.0.0.1\nc=IN IP4 127.0.0.1\nt=0 0\nm=audio 9 RTP/AVP 0\n",
      "f.pls": "[playlist]\nFile1=\(secret)\nNumberOfEntries=1\n",
    ]
    for (name, text) in texts {
      let path = folder.path + "/" + name
      try write(Array(text.utf8), to: path)
      let output = try run([TakeRig.program, "--waveform", path, "raw"])
      #expect(output.status == .exited(4), "\(name): \(output.text)")
    }
  }

  @Test("a big picture in the tags is no sound, and costs nothing")
  func picture() throws {
    let picture = folder.path + "/noise.png"
    _ = try run([
      "ffmpeg", "-v", "error", "-f", "lavfi", "-i", "nullsrc=s=1500x1500,geq=random(1)*255",
      "-frames:v", "1", picture,
    ])
    let plain = try make("plain.wav", [])
    let path = folder.path + "/picture.mp3"
    let made = try run([
      "ffmpeg", "-v", "error", "-i", plain, "-i", picture, "-map", "0:a", "-map", "1:v", "-c:a",
      "libmp3lame", "-c:v", "copy", "-id3v2_version", "3", "-disposition:v", "attached_pic", path,
    ])
    #expect(made.status == .exited(0))
    #expect((60...62).contains(try waveform(path).count))
  }
}
