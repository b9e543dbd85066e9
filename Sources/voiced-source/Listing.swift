import CVoiced
import Glibc
import VoiceCore
import VoiceIO

/// What a plugin offers and what its sources can be pointed at, for the daemon or a person.
enum Listing {
  /// Seconds that a source has to find out its targets.
  static let patience = 0.8

  /// `--describe`: one `library` message, and a `source` message for each source.
  ///
  /// A library of another ABI is told with its number alone: nothing else of it is understood.
  static func describe(plugin: String, to outlet: Outlet) -> Int32 {
    Deadline.end(within: 3)
    do throws(PluginError) {
      let library = try PluginLibrary(path: plugin)
      outlet.send(ControlMessage("library", ["abi": String(library.abi)]))
      try library.check()
      for info in library.sources {
        let texts = [
          "id": info.id, "name": info.name, "vendor": info.vendor, "version": info.version,
          "summary": info.summary, "licence": info.licence,
        ]
        var fields = texts.compactMapValues { pluginText($0) }
        fields["flags"] = flagNames(info.flags)
        outlet.send(ControlMessage("source", fields))
      }
      return EX_OK
    } catch {
      return fail(error, outlet)
    }
  }

  /// `--targets`: a `target` message for each target, the source's own order.
  ///
  /// The source is created and not started. Some know their targets at once, others have to ask a
  /// server first and answer -EAGAIN: then the loop runs, so that the descriptors they watch and
  /// the calls they asked for are served, and after each round they are asked again. One that
  /// still does not know after 0.8 s fails: its server is not there.
  static func targets(plugin: String, id: String, to outlet: Outlet) -> Int32 {
    Deadline.end(within: 3)
    do {
      let loop = try EventLoop()
      let library = try PluginLibrary(path: plugin)
      let host = try PluginHost(loop: loop, outlet: outlet) { mainWake in
        let gate = UnsafeMutablePointer<AudioGate>.allocate(capacity: 1)
        gate.initialize(to: AudioGate(flags: 0, mainWake: mainWake, ring: nil, wake: -1))
        return gate
      }
      let source = try library.create(id, host: host.table)
      host.source = source
      // Before the process ends, on whatever way: it may still be taking part in something.
      defer { source.destroy() }
      for target in try wait(for: source, on: loop) {
        outlet.send(
          ControlMessage(
            "target",
            [
              "target": target.target, "name": target.name,
              "default": target.isDefault ? "1" : "0", "muted": target.isMuted ? "1" : "0",
            ]))
      }
      return EX_OK
    } catch let error as PluginError {
      return fail(error, outlet)
    } catch {
      return fail(PluginError(code: -EAGAIN, text: "\(error)"), outlet)
    }
  }

  private static func wait(
    for source: PluginSource, on loop: EventLoop
  ) throws(PluginError) -> [PluginSource.Target] {
    let end = EventLoop.now + UInt64(patience * 1e9)
    while true {
      if let targets = source.targets() { return targets }
      let now = EventLoop.now
      guard now < end else {
        throw PluginError(code: -EAGAIN, text: "it could not find out its targets in time")
      }
      loop.turn(atMost: Double(end - now) / 1e9)
    }
  }

  /// Names of a source's flags, with blanks between.
  private static func flagNames(_ flags: UInt32) -> String {
    let names = [
      (VOICED_HOST_CLOCK, "host-clock"), (VOICED_HEARS_THE_USER, "hears-the-user"),
      (VOICED_LEVELS_ONLY, "levels-only"),
    ]
    return names.filter { flags & UInt32($0.0) != 0 }.map(\.1).joined(separator: " ")
  }

  private static func fail(_ error: PluginError, _ outlet: Outlet) -> Int32 {
    outlet.send(.failed(errno: error.code, text: error.text))
    return EX_UNAVAILABLE
  }
}
