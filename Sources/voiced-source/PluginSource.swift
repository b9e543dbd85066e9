import CVoiced
import Glibc

/// A source that a plugin made; all of it for the main thread, and each call bounded in time.
struct PluginSource {
  let flags: UInt32
  private let pointer: UnsafePointer<voiced_source>
  private let table: voiced_source

  var isOnHostClock: Bool { flags & UInt32(VOICED_HOST_CLOCK) != 0 }
  var isLevelsOnly: Bool { flags & UInt32(VOICED_LEVELS_ONLY) != 0 }

  init(_ pointer: UnsafePointer<voiced_source>, flags: UInt32) throws(PluginError) {
    self.pointer = pointer
    self.flags = flags
    table = copied(pointer, into: voiced_source())
    guard table.start != nil, table.stop != nil else {
      throw PluginError(code: -ENOEXEC, text: "The plugin's source has no start or no stop.")
    }
  }

  /// 0, or a negative errno; a positive answer is none of both.
  func start(target: String, options: String) -> Int32 {
    let code = Deadline.bound { table.start?(pointer, target, options) } ?? -ENOTSUP
    return code > 0 ? -EPROTO : code
  }

  func recording(_ on: Bool) { Deadline.bound { table.recording?(pointer, on ? 1 : 0) } }
  func stop() { Deadline.bound { table.stop?(pointer) } }
  func destroy() { Deadline.bound { table.destroy?(pointer) } }
  func onMain() { Deadline.bound { table.on_main?(pointer) } }
  func onDescriptor(_ descriptor: Int32, readable: Bool, writable: Bool) {
    Deadline.bound { table.on_fd?(pointer, descriptor, readable ? 1 : 0, writable ? 1 : 0) }
  }

  /// One thing the source can be pointed at.
  struct Target {
    var target: String
    var name: String
    var isDefault: Bool
    var isMuted: Bool
  }

  /// All targets; `nil` while the source does not know them yet.
  func targets() -> [Target]? {
    var found: [Target] = []
    while found.count < Int(VOICED_MAX_TARGETS) {
      var out = voiced_target()
      out.size = UInt32(MemoryLayout<voiced_target>.size)
      let code = table.target?(pointer, UInt32(found.count), &out) ?? -ENOENT
      if code == -EAGAIN { return nil }
      guard code == 0, let target = pluginText(out.target, limit: 4096) else { break }
      found.append(
        Target(
          target: target, name: pluginText(out.name) ?? target,
          isDefault: out.flags & UInt32(VOICED_TARGET_DEFAULT) != 0,
          isMuted: out.flags & UInt32(VOICED_TARGET_MUTED) != 0))
    }
    return found
  }

  /// The render functions of a source on the host's clock; call after `start`.
  func renderer() -> PluginRenderer? {
    let answer = Deadline.bound { table.extension?(pointer, VOICED_EXT_RENDER) }
    guard let table = answer ?? nil else { return nil }
    let render = copied(
      table.assumingMemoryBound(to: voiced_render.self), into: voiced_render())
    guard let format = render.format, let function = render.render else { return nil }
    let sound = Deadline.bound { format(pointer) }
    return PluginRenderer(source: pointer, format: sound, render: function)
  }
}

/// How to get sound out of a source on the host's clock; for the audio thread.
struct PluginRenderer {
  let source: UnsafePointer<voiced_source>
  let format: voiced_format
  let render:
    @convention(c) (
      UnsafePointer<voiced_source>?, UnsafePointer<UnsafeMutablePointer<Float>?>?, UInt32, UInt64
    ) -> UInt32
}
