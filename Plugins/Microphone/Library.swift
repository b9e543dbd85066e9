import CVoiced

/// The one symbol of this library; nil for a host ABI that it does not know.
@c(voiced_source_library)
public func voicedSourceLibrary(_ hostABI: UInt32) -> UnsafePointer<voiced_library>? {
  guard hostABI == VOICED_ABI else { return nil }
  if let made = Library.made { return made }
  let library = UnsafeMutablePointer<voiced_library>.allocate(capacity: 1)
  library.initialize(
    to: voiced_library(
      size: UInt32(MemoryLayout<voiced_library>.size), abi: UInt32(VOICED_ABI),
      count: { 1 },
      info: { $0 == 0 ? Library.information() : nil },
      create: { id, host in
        guard let host, Text(cString: id) == Text("microphone") else { return nil }
        return Microphone(host).source
      }))
  Library.made = UnsafePointer(library)
  return Library.made
}

/// What is made once and lives as long as the process; only the main thread asks for it.
enum Library {
  nonisolated(unsafe) static var made: UnsafePointer<voiced_library>?
  private nonisolated(unsafe) static var info: UnsafePointer<voiced_info>?

  static func information() -> UnsafePointer<voiced_info> {
    if let info { return info }
    let made = UnsafeMutablePointer<voiced_info>.allocate(capacity: 1)
    made.initialize(
      to: voiced_info(
        size: UInt32(MemoryLayout<voiced_info>.size), flags: UInt32(VOICED_HEARS_THE_USER),
        id: text("microphone"), name: text("Microphone"), vendor: text("voiced"),
        version: text("1.0"),
        summary: text("Sound from PipeWire: a microphone, a sink's monitor, or one application"),
        licence: text("MIT")))
    info = UnsafePointer(made)
    return UnsafePointer(made)
  }

  private static func text(_ literal: StaticString) -> UnsafePointer<CChar> {
    UnsafeRawPointer(literal.utf8Start).assumingMemoryBound(to: CChar.self)
  }
}
