import CVoiced

/// The plugin's side of the contract: tables of C functions around a `SpeechVoice`.
///
/// One block of memory holds all of a source; the host has the address of its first member and
/// gives it back with every call.
struct SpeechSource {
  var table: voiced_source
  var voice: SpeechVoice
}

/// Names of error codes this source answers with; libc's are macros.
private let noSuchTarget: Int32 = -2

private func source(_ table: UnsafePointer<voiced_source>?) -> UnsafeMutablePointer<SpeechSource>? {
  table?.pointee.source?.assumingMemoryBound(to: SpeechSource.self)
}

/// Seed of a target: a whole number, or 0 for the empty one; `nil` for anything else.
private func seed(_ target: UnsafePointer<CChar>) -> UInt64? {
  var value: UInt64 = 0
  var place = target
  while place.pointee != 0 {
    guard place.pointee >= 48, place.pointee <= 57 else { return nil }
    let tens = value.multipliedReportingOverflow(by: 10)
    let sum = tens.partialValue.addingReportingOverflow(UInt64(place.pointee - 48))
    guard !tens.overflow, !sum.overflow else { return nil }
    value = sum.partialValue
    place += 1
  }
  return value
}

private func start(
  _ table: UnsafePointer<voiced_source>?, _ target: UnsafePointer<CChar>?,
  _ options: UnsafePointer<CChar>?
) -> Int32 {
  guard let source = source(table), let target, let seed = seed(target) else {
    return noSuchTarget
  }
  source.pointee.voice = SpeechVoice(curve: SpeechCurve(seed: seed))
  return 0
}

private func render(
  _ table: UnsafePointer<voiced_source>?,
  _ channels: UnsafePointer<UnsafeMutablePointer<Float>?>?, _ frames: UInt32, _ position: UInt64
) -> UInt32 {
  guard let source = source(table), let mono = channels?[0] else { return 0 }
  source.pointee.voice.render(into: mono, count: Int(frames), position: position)
  return frames
}

private func target(
  _ table: UnsafePointer<voiced_source>?, _ index: UInt32,
  _ out: UnsafeMutablePointer<voiced_target>?
) -> Int32 {
  guard index < 2, let out else { return noSuchTarget }
  out.pointee.flags = index == 0 ? UInt32(VOICED_TARGET_DEFAULT) : 0
  out.pointee.target = text(index == 0 ? "0" : "1")
  out.pointee.name = text(index == 0 ? "First voice" : "Second voice")
  return 0
}

private func text(_ literal: StaticString) -> UnsafePointer<CChar> {
  UnsafeRawPointer(literal.utf8Start).assumingMemoryBound(to: CChar.self)
}

/// A table that never changes and is never given back.
private func constant<Table>(_ table: Table) -> UnsafePointer<Table> {
  let place = UnsafeMutablePointer<Table>.allocate(capacity: 1)
  place.initialize(to: table)
  return UnsafePointer(place)
}

nonisolated(unsafe) private let info = constant(
  voiced_info(
    size: UInt32(MemoryLayout<voiced_info>.size), flags: UInt32(VOICED_HOST_CLOCK),
    id: text("speech"), name: text("Speech"), vendor: text("voiced"), version: text("1.0.0"),
    summary: text("Speech-like sound, the same on every run; needs no device and no permission."),
    licence: text("MIT")))

nonisolated(unsafe) private let rendering = constant(
  voiced_render(
    size: UInt32(MemoryLayout<voiced_render>.size),
    format: { _ in
      voiced_format(
        size: UInt32(MemoryLayout<voiced_format>.size), rate: UInt32(SpeechCurve.rate), channels: 1)
    }, render: render))

nonisolated(unsafe) private let library = constant(
  voiced_library(
    size: UInt32(MemoryLayout<voiced_library>.size), abi: VOICED_ABI, count: { 1 },
    info: { index in index == 0 ? info : nil }, create: { id, _ in create(id) }))

private func create(_ id: UnsafePointer<CChar>?) -> UnsafePointer<voiced_source>? {
  guard let id, equal(id, text("speech")) else { return nil }
  let made = UnsafeMutablePointer<SpeechSource>.allocate(capacity: 1)
  var table = voiced_source()
  table.size = UInt32(MemoryLayout<voiced_source>.size)
  table.source = UnsafeMutableRawPointer(made)
  table.start = start
  table.stop = { _ in }
  table.destroy = { table in source(table)?.deallocate() }
  table.target = target
  table.extension = { _, id in
    guard let id, equal(id, text("voiced.render/1")) else { return nil }
    return UnsafeRawPointer(rendering)
  }
  made.initialize(to: SpeechSource(table: table, voice: SpeechVoice(curve: SpeechCurve(seed: 0))))
  return UnsafeRawPointer(made).assumingMemoryBound(to: voiced_source.self)
}

private func equal(_ one: UnsafePointer<CChar>, _ other: UnsafePointer<CChar>) -> Bool {
  var index = 0
  while one[index] == other[index] {
    if one[index] == 0 { return true }
    index += 1
  }
  return false
}

/// The only exported symbol.
@c(voiced_source_library)
public func voicedSourceLibrary(_ abi: UInt32) -> UnsafePointer<voiced_library>? {
  guard abi == VOICED_ABI else { return nil }
  return library
}
