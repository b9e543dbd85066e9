import Testing
import VoiceCore
import VoiceIO

@testable import VoiceDaemon

/// Options as clients send them.
@Suite struct OptionReaderTests {
  @Test("each type, once each, and nothing is left over")
  func types() throws {
    var reader = OptionReader([
      "a": .string("x"), "b": .boolean(true), "c": .double(1.5), "d": .uint32(7),
      "e": .strings(["x", "y"]),
    ])
    #expect(try reader.text("a") == "x" && reader.text("a") == nil)
    #expect(try reader.flag("b") == true)
    #expect(try reader.seconds("c") == 1.5)
    #expect(try reader.number("d") == 7)
    #expect(try reader.texts("e") == ["x", "y"])
    try reader.finish()
  }

  @Test("another type is refused, by name")
  func wrongTypes() {
    let values: [BusValue] = [
      .string("x"), .boolean(true), .double(1), .uint32(1), .int32(1), .strings([]),
      .array(of: "u", []), .dictionary([:]),
    ]
    let readers: [(String, (inout OptionReader) throws(Refusal) -> Bool)] = [
      ("s", { reader throws(Refusal) in try reader.text("k") != nil }),
      ("b", { reader throws(Refusal) in try reader.flag("k") != nil }),
      ("d", { reader throws(Refusal) in try reader.seconds("k") != nil }),
      ("u", { reader throws(Refusal) in try reader.number("k") != nil }),
      ("as", { reader throws(Refusal) in try reader.texts("k") != nil }),
    ]
    for value in values {
      for (type, read) in readers {
        var reader = OptionReader(["k": value])
        do throws(Refusal) {
          #expect(try read(&reader) && value.signature == type, "\(value) read as \(type)")
        } catch {
          #expect(value.signature != type && error.error == .invalidValue)
          #expect(error.text.contains("k"))
        }
      }
    }
  }

  @Test("an unknown key, a long text and a long list are refused")
  func excess() {
    #expect(throws: Refusal.self) { try OptionReader(["colour": .string("red")]).finish() }
    let long = String(repeating: "x", count: stringLimit + 1)
    for value in [BusValue.string(long), .strings([long])] {
      var reader = OptionReader(["k": value])
      #expect(throws: Refusal.self) {
        if value.signature == "s" { _ = try reader.text("k") } else { _ = try reader.texts("k") }
      }
    }
    #expect((try? checked(String(long.dropFirst()), "k"))?.utf8.count == stringLimit)
    var reader = OptionReader(["k": .strings(Array(repeating: "x", count: 65))])
    #expect(throws: Refusal.self) { try reader.texts("k") }
  }

  @Test("Begin's options go over the session's settings; another source begins with its own target")
  func begin() throws {
    var defaults = TakeSettings(Configuration())
    defaults.source = "microphone"
    defaults.target = "mine"
    let (same, held) = try defaults.with(options: ["hold": .boolean(true)])
    #expect(same == defaults && held)
    #expect(try defaults.with(options: ["source": .string("file")]).settings.target == "")
    #expect(try defaults.with(options: ["source": .string("microphone")]).settings.target == "mine")
    let both = try defaults.with(options: ["source": .string("file"), "target": .string("/x")])
    #expect(both.settings.target == "/x" && !both.held)
    #expect(try defaults.with(options: ["maximum": .double(5)]).settings.maximum == 5)
  }

  @Test("where a source begins and whether it loops, for a take and for a lease alike")
  func playback() throws {
    let defaults = TakeSettings(Configuration())
    let cases: [([String: BusValue], Playback?)] = [
      ([:], .whole),
      (["loop": .boolean(false), "start": .double(0)], .whole),
      (["loop": .boolean(true)], try Playback(loop: true, start: 0)),
      (["start": .double(12.5)], try Playback(loop: false, start: 12.5)),
      (["start": .double(.nan)], nil), (["start": .double(-1)], nil),
      (["start": .string("12.5")], nil), (["start": .uint32(1)], nil),
      (["loop": .string("yes")], nil), (["loop": .uint32(1)], nil),
    ]
    for (options, playback) in cases {
      #expect((try? defaults.with(options: options).settings.playback) == playback, "\(options)")
      #expect((try? Monitor.Request(options: options).playback) == playback, "\(options)")
    }
  }

  @Test("durations that are none", arguments: ["minimum", "maximum", "auto-stop"])
  func durations(key: String) {
    let defaults = TakeSettings(Configuration())
    for value in [Double.nan, .infinity, -.infinity, -1] {
      #expect(throws: Refusal.self) { try defaults.with(options: [key: .double(value)]) }
    }
    #expect(throws: Refusal.self) { try defaults.with(options: ["maximum": .double(0.99)]) }
    #expect(throws: Refusal.self) { try defaults.with(options: ["minimum": .double(300.5)]) }
  }
}
