import CPipeWire
import CVoiced

extension Microphone {
  /// The C functions of a source, each one a call of the method with its name.
  static func functions() -> voiced_source {
    var table = voiced_source()
    table.size = UInt32(MemoryLayout<voiced_source>.size)
    table.start = { source, target, options in
      guard let microphone = Microphone.of(source) else { return -EINVAL }
      let options = Options(Text(cString: options) ?? Text())
      return microphone.start(Text(cString: target) ?? Text(), options)
    }
    table.recording = { source, on in Microphone.of(source)?.record(on != 0) }
    table.stop = { Microphone.of($0)?.stop() }
    table.destroy = { Microphone.of($0)?.destroy() }
    table.on_main = { _ in }
    table.on_fd = { source, _, readable, _ in
      if readable != 0 { Microphone.of(source)?.isReadable() }
    }
    table.target = { source, index, out in
      guard let out else { return -EINVAL }
      return Microphone.of(source)?.target(index, out) ?? -EINVAL
    }
    table.extension = { _, _ in nil }
    return table
  }
}
