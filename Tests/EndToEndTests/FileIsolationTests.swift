import Glibc
import Testing
import VoiceTestKit

/// A file cannot make the decoder open another one, nor the network.
@Suite(
  "A file that leads elsewhere",
  .enabled(if: access("/usr/bin/strace", X_OK) == 0, "strace is not installed"))
struct FileIsolationTests {
  static let lures: [(name: String, text: String)] = [
    ("list.m3u8", "#EXTM3U\n#EXT-X-TARGETDURATION:3\n#EXTINF:3,\nSECRET\n#EXT-X-ENDLIST\n"),
    ("list.ogg", "#EXTM3U\nfile://SECRET\n"),
    ("list.pls", "[playlist]\nFile1=SECRET\nNumberOfEntries=1\n"),
    ("script.mp3", "ffconcat version 1.0\nfile 'SECRET'\n"),
    ("near.wav", "ffconcat version 1.0\nfile secret.wav\n"),
    ("net.wav", "ffconcat version 1.0\nfile 'http://127.0.0.1:9/a.wav'\n"),
    ("net.m3u8", "#EXTM3U\n#EXT-X-TARGETDURATION:3\n#EXTINF:3,\nhttp://127.0.0.1:9/a.ts\n"),
    (
      "session.wav",
      "v=0\no=- 0 0 IN IP4 127.0.0.1\ns=x\nc=IN IP4 127.0.0.1\nm=audio 5004 RTP/AVP 0\n"
    ),
    ("url.m4a", "http://127.0.0.1:9/a.mp3\n"),
    (
      "parts.m4a",
      "<?xml version=\"1.0\"?><MPD xmlns=\"urn:mpeg:dash:schema:mpd:2011\" type=\"static\"><Period>"
        + "<AdaptationSet><Representation><BaseURL>SECRET</BaseURL></Representation>"
        + "</AdaptationSet></Period></MPD>"
    ),
  ]

  @Test("is refused, and opens nothing", arguments: lures.indices)
  func lure(index: Int) throws {
    let maker = try FileMaker()
    let lure = Self.lures[index]
    let secret = try maker.wav("secret.wav")
    let text = lure.text.split(separator: "SECRET", omittingEmptySubsequences: false)
      .joined(separator: secret)
    let trace = try trace(try maker.bytes(lure.name, Array(text.utf8)), maker)
    #expect(trace.played.failure?.code == -EILSEQ)
    // The watch works: it saw the file itself being opened, and nothing after it.
    #expect(trace.lines.filter { $0.contains(lure.name) }.count == 1)
    #expect(trace.afterwards(lure.name).isEmpty, "\(trace.afterwards(lure.name))")
    #expect(!trace.lines.contains { $0.contains("secret") })
  }

  @Test("plays its own sound and opens nothing when it only mentions another")
  func mention() throws {
    let maker = try FileMaker()
    let secret = try maker.wav("secret.wav")
    let path = try maker.ffmpeg(
      "a.mp3", "-c:a", "libmp3lame", "-metadata", "comment=file://\(secret)")
    let trace = try trace(path, maker)
    #expect(trace.played.sound.count == 48_000)
    #expect(trace.afterwards("a.mp3").isEmpty, "\(trace.afterwards("a.mp3"))")
  }

  private struct Trace {
    let played: PlayedFile
    /// Calls that open files or reach the network.
    let lines: [Substring]

    /// Those that succeeded after the one that names a file.
    func afterwards(_ name: String) -> [Substring] {
      guard let index = lines.firstIndex(where: { $0.contains(name) }) else { return lines }
      return lines[(index + 1)...].filter { !$0.contains(" = -1 ") && !$0.contains("+++") }
    }
  }

  private func trace(_ path: String, _ maker: FileMaker) throws -> Trace {
    let log = maker.path("trace")
    let played = try PlayedFile.inTime(
      path, within: 30,
      watcher: [
        "/usr/bin/strace", "-f", "-qq", "-e", "trace=open,openat,openat2,socket,connect", "-o", log,
      ])
    let text = String(decoding: ProcessFacts.content(of: log), as: UTF8.self)
    return Trace(played: played, lines: text.split(separator: "\n"))
  }
}
