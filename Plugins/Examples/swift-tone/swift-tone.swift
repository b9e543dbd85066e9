// A level source in Embedded Swift to start from: a quiet tone, rendered on the host's clock.
//
// Rename it, change `render` and what describes it, delete what you do not need. The rules are in
// voiced_source.h; voiced-check(1) says which of them are broken. Two rules of Embedded Swift: no `any`,
// and compare texts by their bytes.

private let rate: UInt32 = 48_000
/// Frames of a period of 480 Hz, the default, and of 240 Hz: whole numbers at this rate.
private let periods: (short: UInt64, long: UInt64) = (100, 200)
/// Peak: -26 dBFS, quiet but clearly above silence.
private let amplitude: Float = 0.05

/// One source: the host holds the address of `table`, which points back here.
private struct Tone {
  var table: voiced_source
  var host: UnsafePointer<voiced_host>
  /// Frames of a period; written while stopped, read by `render`.
  var period: UInt64
}

private func tone(_ table: UnsafePointer<voiced_source>?) -> UnsafeMutablePointer<Tone>? {
  table?.pointee.source?.assumingMemoryBound(to: Tone.self)
}

// MARK: - What the host calls

private func start(
  _ table: UnsafePointer<voiced_source>?, _ target: UnsafePointer<CChar>?,
  _ options: UnsafePointer<CChar>?
) -> Int32 {
  guard let tone = tone(table), let target else { return -EINVAL }
  if target.pointee == 0 || strcmp(target, text("480")) == 0 {
    tone.pointee.period = periods.short
  } else if strcmp(target, text("240")) == 0 {
    tone.pointee.period = periods.long
  } else {
    return -ENOENT
  }
  return 0
}

private func target(
  _ table: UnsafePointer<voiced_source>?, _ index: UInt32,
  _ out: UnsafeMutablePointer<voiced_target>?
) -> Int32 {
  guard let out, index < 2 else { return -ENOENT }
  out.pointee.flags = index == 0 ? UInt32(VOICED_TARGET_DEFAULT) : 0
  out.pointee.target = index == 0 ? text("480") : text("240")
  out.pointee.name = index == 0 ? text("High, 480 Hz") : text("Low, 240 Hz")
  return 0
}

/// Real-time: arithmetic and memory that is there already, nothing else.
private func render(
  _ table: UnsafePointer<voiced_source>?,
  _ channels: UnsafePointer<UnsafeMutablePointer<Float>?>?, _ frames: UInt32, _ position: UInt64
) -> UInt32 {
  guard let period = tone(table)?.pointee.period, let mono = channels?[0] else { return 0 }
  for index in 0..<Int(frames) {
    // A parabola for each half of the period: near enough to a sine to be soft.
    let turn = Float((position + UInt64(index)) % period) / Float(period)
    let half = turn < 0.5 ? turn * 2 : turn * 2 - 1
    let arch = 4 * half * (1 - half)
    mono[index] = turn < 0.5 ? amplitude * arch : -amplitude * arch
  }
  return frames
}

private func create(
  _ id: UnsafePointer<CChar>?, _ host: UnsafePointer<voiced_host>?
) -> UnsafePointer<voiced_source>? {
  guard let id, let host, strcmp(id, text("swift-tone")) == 0 else { return nil }
  let made = UnsafeMutablePointer<Tone>.allocate(capacity: 1)
  var table = voiced_source()
  table.size = UInt32(MemoryLayout<voiced_source>.size)
  table.source = UnsafeMutableRawPointer(made)
  table.start = start
  table.stop = { _ in }
  table.destroy = { table in tone(table)?.deallocate() }
  table.target = target
  table.extension = { _, id in
    guard let id, strcmp(id, text("voiced.render/1")) == 0 else { return nil }
    return UnsafeRawPointer(rendering)
  }
  made.initialize(to: Tone(table: table, host: host, period: periods.short))
  return UnsafeRawPointer(made).assumingMemoryBound(to: voiced_source.self)
}

// MARK: - What describes it

nonisolated(unsafe) private let info = constant(
  voiced_info(
    size: UInt32(MemoryLayout<voiced_info>.size), flags: UInt32(VOICED_HOST_CLOCK),
    id: text("swift-tone"), name: text("Swift tone"), vendor: text("voiced"),
    version: text("1.0.0"),
    summary: text("A quiet tone, to start a level source in Swift from."), licence: text("MIT")))

nonisolated(unsafe) private let rendering = constant(
  voiced_render(
    size: UInt32(MemoryLayout<voiced_render>.size),
    format: { _ in
      voiced_format(size: UInt32(MemoryLayout<voiced_format>.size), rate: rate, channels: 1)
    }, render: render))

nonisolated(unsafe) private let library = constant(
  voiced_library(
    size: UInt32(MemoryLayout<voiced_library>.size), abi: VOICED_ABI, count: { 1 },
    info: { index in index == 0 ? info : nil }, create: create))

/// The only exported symbol.
@c(voiced_source_library)
public func entry(_ abi: UInt32) -> UnsafePointer<voiced_library>? {
  abi == VOICED_ABI ? library : nil
}

/// A literal's bytes, which end in zero and stay.
private func text(_ literal: StaticString) -> UnsafePointer<CChar> {
  UnsafeRawPointer(literal.utf8Start).assumingMemoryBound(to: CChar.self)
}

/// A table that never changes and is never given back.
private func constant<Table>(_ table: Table) -> UnsafePointer<Table> {
  let place = UnsafeMutablePointer<Table>.allocate(capacity: 1)
  place.initialize(to: table)
  return UnsafePointer(place)
}
