/// The levels of a running take as bars of equal length in time, the newest last.
///
/// Levels are told only when they change, so a bar without one holds the level before it.
struct BarTrack: Equatable {
  /// Seconds a bar stands for.
  let period: Double
  /// Bars that are kept.
  let capacity: Int
  /// From 0 to 1; at most `capacity`.
  private(set) var bars: [Double] = []
  /// Bars since the take began, also those that are kept no more.
  private(set) var count = 0
  private var level = 0.0

  init(period: Double, capacity: Int) {
    self.period = period
    self.capacity = max(capacity, 1)
  }

  /// Takes a level in, at this second of the take; the loudest of a bar's time counts.
  mutating func note(_ level: Double, at seconds: Double) {
    advance(to: seconds)
    self.level = level.isFinite ? min(max(level, 0), 1) : 0
    if bars.isEmpty { append(self.level) }
    bars[bars.count - 1] = max(bars[bars.count - 1], self.level)
  }

  /// Lets the time pass without a new level.
  mutating func advance(to seconds: Double) {
    guard seconds.isFinite, seconds >= 0, seconds < 1e8 else { return }
    let wanted = Int(seconds / period) + 1
    // After a long silence of the bus only the newest bars can be seen.
    if wanted - count > capacity { count = wanted - capacity }
    while count < wanted { append(level) }
  }

  /// Joins a take that is already this long: its earlier bars are unknown.
  mutating func join(at seconds: Double) {
    guard seconds.isFinite, seconds >= 0, seconds < 1e8 else { return }
    bars = []
    count = Int(seconds / period)
  }

  /// Puts bars that were missed before the first one; `first` is the number of the first of them.
  mutating func fill(_ missed: [Double], from first: Int) {
    let known = count - bars.count
    guard first >= 0, first < known, bars.count < capacity else { return }
    let room = min(known - first, missed.count)
    guard first + room == known else { return }
    let news = missed[..<room].suffix(capacity - bars.count)
    bars.insert(contentsOf: news.map { $0.isFinite ? min(max($0, 0), 1) : 0 }, at: 0)
  }

  private mutating func append(_ level: Double) {
    bars.append(level)
    count += 1
    if bars.count > capacity { bars.removeFirst(bars.count - capacity) }
  }
}
