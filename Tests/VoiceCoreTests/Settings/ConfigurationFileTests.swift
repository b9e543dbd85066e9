import Testing

@testable import VoiceCore

@Suite struct ConfigurationFileTests {
  private func read(_ text: String) -> Configuration {
    let file = ConfigurationFile(text: text)
    #expect(file.warnings == [])
    return file.configuration
  }

  @Test("an empty file is the defaults of the specification")
  func defaults() {
    let configuration = read("")
    #expect(configuration == Configuration())
    #expect(configuration.minimum == 0.6)
    #expect(configuration.maximum == 300)
    #expect(configuration.format == .m4a)
    #expect(configuration.autoStop == 0)
    #expect(!configuration.pauseMedia)
    #expect(configuration.preRoll == 0)
    #expect(configuration.releaseGrace == 0)
    #expect(configuration.levelGain == 0)
    #expect(configuration.mediaRole == "")
    #expect(configuration.retention == 24 * 3600)
  }

  @Test("every key is read")
  func everyKey() {
    let configuration = read(
      """
      \u{feff}# my settings

      source = file
        target=/home/me/a song #1.flac   \t # the usual one
      format\t=\topus16k
      minimum = 400 ms
      maximum = 5 min
      auto-stop = 2.5
      pause-media = yes
      pre-roll = 0.5 s
      release-grace = 150ms
      level-gain = -6.5 dB
      media-role = "Communication"
      retention = 7 d
      lock-screen = off
      plugins = /opt/a:/opt/b c
      """)
    #expect(configuration.source == "file")
    #expect(configuration.target == "/home/me/a song")
    #expect(configuration.format == .opus16k)
    #expect(configuration.minimum == 0.4)
    #expect(configuration.maximum == 300)
    #expect(configuration.autoStop == 2.5)
    #expect(configuration.pauseMedia)
    #expect(configuration.preRoll == 0.5)
    #expect(configuration.releaseGrace == 0.15)
    #expect(configuration.levelGain == -6.5)
    #expect(configuration.mediaRole == "Communication")
    #expect(configuration.retention == 7 * 86_400)
    #expect(!configuration.lockScreen)
    #expect(configuration.plugins == ["/opt/a", "/opt/b c"])
  }

  @Test("quotes keep a hash and blanks; a hash inside a word is no comment; lines may end in CR LF")
  func quoting() {
    #expect(read("target = \" a #1 \" # x").target == " a #1 ")
    #expect(read("target = a#1").target == "a#1")
    #expect(read("target = # nothing").target == "")
    #expect(read("target = ünï=cödé").target == "ünï=cödé")
    let windows = read("source = speech\r\ntarget = 7\r\n")
    #expect(windows.source == "speech")
    #expect(windows.target == "7")
  }

  @Test(
    "a value that is none costs that setting alone and is told with its line",
    arguments: [
      "minimum = -1", "minimum = nan", "minimum = inf", "minimum = 0x10", "minimum = 1 fortnight",
      "minimum =", "minimum = s", "maximum = 0.9", "auto-stop = soon", "pause-media = perhaps",
      "pre-roll = 5.1", "release-grace = 201 ms", "level-gain = 61", "level-gain = nan dB",
      "format = mp3", "source =", "retention = -1 h", "plugins = relative", "lock-screen = 2",
      "target = \"open", "colour = red", "Source = speech", "just words", "= 3",
    ])
  func refused(line: String) {
    let file = ConfigurationFile(text: "format = flac\n\n\(line)\nsource = speech\n")
    var expected = Configuration()
    expected.format = .flac
    expected.source = "speech"
    #expect(file.configuration == expected)
    #expect(file.warnings.map(\.line) == [3])
    #expect(file.warnings.allSatisfy { $0.text.hasSuffix(".") })
  }

  @Test("texts over 4096 bytes are refused")
  func longTexts() {
    let long = String(repeating: "é", count: 2_049)
    #expect(ConfigurationFile(text: "target = \(long)").warnings.count == 1)
    #expect(read("target = \(long.dropLast())").target.utf8.count == 4_096)
  }

  @Test("of a setting given twice the last one counts, and that is told")
  func twice() {
    let file = ConfigurationFile(text: "format = wav\nformat = flac")
    #expect(file.configuration.format == .flac)
    #expect(file.warnings.map(\.line) == [2])
  }

  @Test("a minimum above the maximum is ignored")
  func crossed() {
    let file = ConfigurationFile(text: "minimum = 20\nmaximum = 10")
    #expect(file.configuration.minimum == 0.6)
    #expect(file.configuration.maximum == 10)
    #expect(file.warnings.map(\.line) == [1])
  }

  @Test("no text at all traps the reader")
  func anything() {
    let seed = UInt64.random(in: 0...UInt64.max)
    var random = SeededRandom(seed: seed)
    let pieces = [
      "=", "#", "\"", "\n", "\r", " ", "minimum", "target", "ms", "1e999", "\u{301}", "-",
    ]
    for _ in 0..<3_000 {
      let text = (0..<12).map { _ in pieces.randomElement(using: &random) ?? "" }.joined()
      let configuration = ConfigurationFile(text: text).configuration
      #expect(configuration.minimum >= 0 && configuration.minimum.isFinite, "seed \(seed)")
      #expect(configuration.minimum <= configuration.maximum, "seed \(seed)")
    }
  }
}
