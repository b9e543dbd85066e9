import Foundation
import Testing

@testable import VoiceCore

@Suite struct JsonTests {
  @Test("values on one line, members in order")
  func plain() {
    let value = Json.object([
      "phase": .string("locked"), "level": .number(0.5, decimals: 2), "take": .integer(-7),
      "none": .null, "on": .boolean(true), "list": .array([.integer(1), .array([])]),
      "empty": .object([]),
    ])
    #expect(
      value.text
        == #"{"phase":"locked","level":0.50,"take":-7,"none":null,"on":true,"list":[1,[]],"empty":{}}"#
    )
  }

  @Test(
    "numbers have a point and just so many decimals",
    arguments: [
      (0.0, 2, "0.00"), (-0.0, 2, "0.00"), (-0.001, 2, "0.00"), (0.005, 2, "0.01"),
      (0.994_9, 2, "0.99"), (0.995_1, 2, "1.00"), (-1.25, 1, "-1.3"), (3, 0, "3"),
      (1e9, 3, "1000000000.000"),
      (0.000_000_001, 9, "0.000000001"), (0.1, 40, "0.100000000"), (5, -1, "5"), (1e20, 2, "1e+20"),
      (.nan, 2, "null"), (.infinity, 2, "null"), (-.infinity, 0, "null"),
    ])
  func numbers(value: Double, decimals: Int, text: String) {
    #expect(Json.number(value, decimals: decimals).text == text)
  }

  @Test("an independent reader reads any text back")
  func readBack() throws {
    let seed = UInt64.random(in: 0...UInt64.max)
    var random = SeededRandom(seed: seed)
    var texts = ["", "Tom & \"J\" <mic> \\ \u{0}\u{1f}\u{7f}\u{2028}", "e\u{301} 👩‍👩‍👧 \r\n\t"]
    for _ in 0..<500 {
      var text = ""
      for _ in 0..<Int.random(in: 0..<20, using: &random) {
        let code = UInt32.random(
          in: 0...(Bool.random(using: &random) ? 0x7f : 0x10ffff), using: &random)
        if let scalar = Unicode.Scalar(code) { text.unicodeScalars.append(scalar) }
      }
      texts.append(text)
    }
    let line = Json.object(["texts": .array(texts.map { .string($0) })]).text
    #expect(!line.utf8.contains { $0 < 32 || $0 == 127 }, "seed \(seed)")
    let read = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: [String]]
    let back = read?["texts"] ?? []
    #expect(
      back.map { Array($0.unicodeScalars) } == texts.map { Array($0.unicodeScalars) },
      "seed \(seed)")
  }
}
