import CAV
import CVoiced

/// The plugin's one entry.
@c(voiced_source_library)
public func entry(_ abi: UInt32) -> UnsafePointer<voiced_library>? {
  guard abi == VOICED_ABI else { return nil }
  let constants = Constants.shared
  return UnsafePointer(constants.library)
}

/// What stays the same for the life of the process: it lies at fixed addresses and is never freed.
struct Constants {
  let library: UnsafeMutablePointer<voiced_library>
  let info: UnsafeMutablePointer<voiced_info>

  /// Made on first use, on the main thread like every call that reads it.
  nonisolated(unsafe) private static var made: Constants?

  static var shared: Constants {
    if let made { return made }
    let constants = Constants()
    made = constants
    return constants
  }

  private init() {
    info = .allocate(capacity: 1)
    info.initialize(
      to: voiced_info(
        size: UInt32(MemoryLayout<voiced_info>.size), flags: UInt32(VOICED_HOST_CLOCK),
        id: text("file"), name: text("Audio file"), vendor: text("voiced"), version: text("1.0.0"),
        summary: text("Plays any audio file that FFmpeg decodes, in real time"),
        licence: text("MIT")))
    library = .allocate(capacity: 1)
    library.initialize(
      to: voiced_library(
        size: UInt32(MemoryLayout<voiced_library>.size), abi: VOICED_ABI, count: { 1 },
        info: { $0 == 0 ? UnsafePointer(Constants.shared.info) : nil },
        create: { create($0, $1) }))
  }
}

/// A literal's bytes, which end in zero and stay.
private func text(_ literal: StaticString) -> UnsafePointer<CChar> {
  UnsafeRawPointer(literal.utf8Start).assumingMemoryBound(to: CChar.self)
}

private func create(
  _ id: UnsafePointer<CChar>?, _ host: UnsafePointer<voiced_host>?
) -> UnsafePointer<voiced_source>? {
  guard let id, let host, strcmp(id, "file") == 0 else { return nil }
  let instance = UnsafeMutablePointer<FileSource>.allocate(capacity: 1)
  instance.initialize(to: FileSource(host))
  instance.pointee.renderer.initialize(
    to: voiced_render(
      size: UInt32(MemoryLayout<voiced_render>.size),
      format: { instanceOf($0)?.pointee.format ?? voiced_format() },
      render: { render($0, $1, $2, $3) }))
  instance.pointee.source.initialize(
    to: voiced_source(
      size: UInt32(MemoryLayout<voiced_source>.size), source: instance,
      start: { instanceOf($0)?.pointee.start($1, $2) ?? -EINVAL },
      recording: { _, _ in },
      stop: { instanceOf($0)?.pointee.stop() },
      destroy: { destroy($0) },
      on_main: { _ in },
      on_fd: { _, _, _, _ in },
      target: { _, _, _ in -ENOENT },
      extension: { extensionOf($0, $1) }))
  return UnsafePointer(instance.pointee.source)
}

private func destroy(_ source: UnsafePointer<voiced_source>?) {
  guard let instance = instanceOf(source) else { return }
  instance.pointee.stop()
  instance.pointee.source.deallocate()
  instance.pointee.renderer.deallocate()
  instance.deinitialize(count: 1)
  instance.deallocate()
}

private func extensionOf(
  _ source: UnsafePointer<voiced_source>?, _ id: UnsafePointer<CChar>?
) -> UnsafeRawPointer? {
  guard let instance = instanceOf(source), let id, strcmp(id, VOICED_EXT_RENDER) == 0 else {
    return nil
  }
  return UnsafeRawPointer(instance.pointee.renderer)
}

/// [audio] Copies out of the ring; touches no counted reference.
private func render(
  _ source: UnsafePointer<voiced_source>?,
  _ channels: UnsafePointer<UnsafeMutablePointer<Float>?>?, _ frames: UInt32, _ position: UInt64
) -> UInt32 {
  guard let channels, let ring = instanceOf(source)?.pointee.ring else { return 0 }
  return UInt32(ring.pointee.take(channels, Int(frames)))
}

private func instanceOf(
  _ source: UnsafePointer<voiced_source>?
) -> UnsafeMutablePointer<FileSource>? {
  source?.pointee.source?.assumingMemoryBound(to: FileSource.self)
}
