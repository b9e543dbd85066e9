import Testing

@testable import VoiceCore

@Suite struct VoicedErrorTests {
  @Test("the names are those of the contract")
  func names() {
    #expect(
      VoicedError.allCases.map(\.rawValue) == [
        "AccessOff", "AccessDenied", "NoSuchSource", "NoSuchTarget", "NoSuchTake",
        "SourceUnavailable", "SourceFailed", "NotAudio", "NoSound", "InvalidValue",
        "LimitExceeded", "DiskFull", "FolderUnusable",
      ])
    #expect(VoicedError.accessOff.fullName == "org.voiced.Voiced1.Error.AccessOff")
  }

  @Test("every name is read back, others are none", arguments: VoicedError.allCases)
  func roundTrip(error: VoicedError) {
    #expect(VoicedError(fullName: error.fullName) == error)
    #expect(VoicedError(shortName: error.rawValue) == error)
    #expect(VoicedError(fullName: error.rawValue) == nil)
    #expect(VoicedError(shortName: error.fullName) == nil)
    #expect(VoicedError(fullName: "org.freedesktop.DBus.Error." + error.rawValue) == nil)
  }

  @Test("every text is one sentence that says what to do", arguments: VoicedError.allCases)
  func sentences(error: VoicedError) {
    for text in [error.text, error.sentence("this one")] {
      #expect(text.hasSuffix("."))
      #expect(text.contains(";"))
      #expect(text.count { $0 == "." } == 1)
      #expect(text.split(separator: " ").count >= 6)
      #expect(text.first?.isUppercase == true)
    }
    #expect(error.sentence("this one").contains("(this one)"))
    #expect(!error.text.contains("("))
    #expect(Refusal(error, "this one").text == error.sentence("this one"))
  }

  @Test("a denial is not always of the microphone, and a target's advice names what lists targets")
  func advice() {
    #expect(!VoicedError.accessDenied.text.contains("microphone"))
    #expect(VoicedError.noSuchTarget.text.contains("vctl sources --targets"))
  }
}

@Suite struct FormatTests {
  @Test("words, extensions, media types and rates")
  func table() {
    let table: [(Format, String, String, String, Int)] = [
      (.m4a, "m4a", "m4a", "audio/mp4", 24_000),
      (.opus, "opus", "opus", "audio/ogg; codecs=opus", 48_000),
      (.opus16k, "opus16k", "opus", "audio/ogg; codecs=opus", 16_000),
      (.wav16k, "wav16k", "wav", "audio/wav", 16_000),
      (.wav, "wav", "wav", "audio/wav", 48_000),
      (.flac, "flac", "flac", "audio/flac", 48_000),
    ]
    #expect(table.map(\.0) == Format.allCases)
    for (format, word, fileExtension, mediaType, rate) in table {
      #expect(format.rawValue == word)
      #expect(format.fileExtension == fileExtension)
      #expect(format.mediaType == mediaType)
      #expect(format.rate == rate)
    }
    #expect(Format.usual == .m4a)
  }

  @Test("words of notices and exports are those of the contract")
  func words() {
    #expect(
      NoticeKind.allCases.map(\.rawValue) == [
        "hold", "access-off", "stopped", "started", "silent", "source-lost", "source-back",
      ])
    #expect(
      WaveformExport.allCases.map(\.name) == ["matrix", "matrix256", "telegram", "whatsapp", "raw"])
    #expect(WaveformExport.telegram.key == "waveform-telegram")
    #expect(WaveformExport.allCases.filter(\.isBytes) == [.telegram, .whatsapp])
    #expect(Verdict.allCases.map(\.rawValue) == ["none", "low", "ok", "clipped"])
  }
}
