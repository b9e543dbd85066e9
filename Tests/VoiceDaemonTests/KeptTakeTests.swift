import Testing
import VoiceCore
import VoiceIO

@testable import VoiceDaemon

/// What is kept of a take beside its file.
@Suite struct KeptTakeTests {
  private let kept = KeptTake(
    take: 7, state: .finished,
    facts: RecordingFacts(
      path: "/s/voiced/recordings/take-7.m4a", duration: 2.5, bytes: 12_345, rate: 24_000,
      mediaType: "audio/mp4; codecs=mp4a.40.2", waveform: [0, 0.25, 1],
      exports: ["telegram": [1, 2, 255]], peak: 0.5, missed: 0.125),
    circumstances: .init(
      ending: "maximum", source: "microphone", target: "a b=c", elapsed: 2.75, gaps: 0.25,
      verdict: "ok"))

  @Test("its text is read back as it was")
  func roundTrip() {
    #expect(KeptTake(text: kept.text, take: 7, state: .finished) == kept)
  }

  @Test("a line end in a value does not begin a line of its own")
  func lineEnds() throws {
    var odd = kept
    odd.circumstances.target = "x\nbytes=1\r\nending=sent"
    let read = try #require(KeptTake(text: odd.text, take: 7, state: .finished))
    #expect(read.facts == kept.facts && read.circumstances.ending == "maximum")
    #expect(read.circumstances.target == "x bytes=1 ending=sent")
  }

  @Test("a text that lacks a figure, or has one that is none, is no take")
  func broken() {
    #expect(KeptTake(text: "", take: 1, state: .finished) == nil)
    #expect(KeptTake(text: "path=/x\nduration=1\n", take: 1, state: .finished) == nil)
    let infinite = kept.text.replacing("duration=2.5", with: "duration=inf")
    #expect(KeptTake(text: infinite, take: 1, state: .finished) == nil)
    let loud = kept.text.replacing("waveform=0.0 0.25 1.0", with: "waveform=0.0 7.5")
    #expect(loud != kept.text && KeptTake(text: loud, take: 1, state: .finished) == nil)
  }

  @Test("what is odd beside the figures reads as nothing")
  func oddities() throws {
    let text =
      kept.text.replacing("gaps=0.25", with: "gaps=nan")
      .replacing("elapsed=2.75", with: "elapsed=-3") + "unknown=1\nno sign\n"
    let read = try #require(KeptTake(text: text, take: 7, state: .finished))
    #expect(read.circumstances.gaps == 0 && read.circumstances.elapsed == 0)
  }

  @Test("GetTakes gives the details of Finished, and what Finished says besides")
  func listed() {
    let listed = kept.listed
    for (key, value) in kept.details { #expect(listed[key] == value) }
    #expect(listed["take"] == .uint32(7) && listed["state"] == .string("finished"))
    #expect(listed["duration"] == .double(2.5) && listed["waveform"] == .doubles([0, 0.25, 1]))
    #expect(listed["waveform-telegram"]?.signature == "ai")
  }

  @Test("a path becomes a URI byte by byte")
  func uri() {
    #expect(fileURI("/a-b/c_d.~e") == "file:///a-b/c_d.~e")
    #expect(fileURI("/ä b%?#") == "file:///%C3%A4%20b%25%3F%23")
  }
}
