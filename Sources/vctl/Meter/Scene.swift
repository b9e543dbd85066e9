/// What a meter shows at one moment, in words and bars.
struct Scene: Equatable {
  var mark: Character
  /// What is going on: "recording", "idle".
  var title: String
  var titleInk: Ink?
  /// Where the sound comes from.
  var place = ""
  /// At the right of the first line: the clock or the level.
  var figure = ""
  var figureInk: Ink?
  /// The newest last, 0 to 1.
  var bars: [Double] = []
  /// Bars of something that is over are grey.
  var isLive = false
  /// The last line: what happened, what to do.
  var note = ""
  var noteInk: Ink?
  /// At the right of the last line.
  var keys = ""
}

/// The meter's colours.
enum Palette {
  static let red = Ink(255, 92, 97, basic: 1)
  static let amber = Ink(245, 177, 76, basic: 3)
  static let grey = Ink(128, 134, 148, basic: 8)

  /// Along the height of a bar: what is quiet, what is loud.
  static let heights = [
    Ink(45, 212, 191, basic: 6), Ink(96, 206, 122, basic: 2), Ink(240, 196, 84, basic: 3),
    Ink(255, 106, 96, basic: 1),
  ]

  /// The ink at this part of the full height, from 0 to 1.
  static func ink(at height: Double) -> Ink {
    let place = min(max(height, 0), 1) * Double(heights.count - 1)
    let index = min(Int(place), heights.count - 2)
    let part = place - Double(index)
    let (low, high) = (heights[index], heights[index + 1])
    func mix(_ a: UInt8, _ b: UInt8) -> UInt8 {
      UInt8((Double(a) + (Double(b) - Double(a)) * part).rounded())
    }
    return Ink(
      mix(low.red, high.red), mix(low.green, high.green), mix(low.blue, high.blue),
      basic: part < 0.5 ? low.basic : high.basic)
  }
}
