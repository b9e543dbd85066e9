/// The characters that meters are drawn with.
struct Glyphs: Equatable {
  /// Bars that grow from the bottom of a cell: nothing, then ever fuller, the last one full.
  let rising: [Character]
  /// The same from the top; `nil` where an inverse `rising` does it.
  let falling: [Character]?
  let recording: Character
  let idle: Character
  let stopped: Character
  let offline: Character
  let separator: String
  let ellipsis: Character

  static let blocks = Glyphs(
    rising: [" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"], falling: nil, recording: "●", idle: "○",
    stopped: "■", offline: "×", separator: " · ", ellipsis: "…")

  static let ascii = Glyphs(
    rising: [" ", ".", ":", "#"], falling: [" ", "'", ":", "#"], recording: "*", idle: "o",
    stopped: "=", offline: "x", separator: ", ", ellipsis: "~")

  /// Steps from an empty to a full cell.
  var steps: Int { rising.count - 1 }

  /// One cell for a level: never empty, so that silence is seen too.
  func bar(_ level: Double) -> Character {
    rising[min(max(Int((level * Double(steps)).rounded()), 1), steps)]
  }
}
