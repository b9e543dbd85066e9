import CVoiced
import Glibc
import Synchronization
import VoiceCore

/// Where the functions of a `voiced_host` find what they work on; for any thread.
struct HostPlaces: ~Copyable {
  let gate: UnsafeMutablePointer<AudioGate>
  let outlet: Outlet
  /// For the main thread alone.
  var owner: Unmanaged<PluginHost>?
  /// The second of CLOCK_MONOTONIC that is counted, and the lines logged in it.
  let logSecond = Atomic<UInt64>(0)
  let logCount = Atomic<Int>(0)

  init(gate: UnsafeMutablePointer<AudioGate>, outlet: Outlet) {
    self.gate = gate
    self.outlet = outlet
  }

  /// The host, or `nil` on a thread that must not touch it.
  var onMain: PluginHost? {
    guard let host = owner?.takeUnretainedValue(), host.isMainThread else {
      gate.pointee.note(.notOnMain)
      return nil
    }
    return host
  }

  /// Whether this is the audio thread, which must not call what takes time.
  var isAudioThread: Bool {
    guard gate.pointee.audioThread.load(ordering: .relaxed) == UInt(pthread_self()),
      owner?.takeUnretainedValue().isMainThread != true
    else { return false }
    gate.pointee.note(.onAudioThread)
    return true
  }

  /// `host.log`.
  func log(_ severity: Int32, _ text: UnsafePointer<CChar>?) {
    guard !isAudioThread else { return }
    let second = monotonicTime() / 1_000_000_000
    if logSecond.exchange(second, ordering: .relaxed) != second {
      logCount.store(0, ordering: .relaxed)
    }
    guard logCount.add(1, ordering: .relaxed).newValue <= PluginHost.logLines,
      let text = pluginText(text, limit: 1024)
    else { return }
    let known = Int32(VOICED_LOG_DEBUG)...Int32(VOICED_LOG_PLUGIN_MISBEHAVING)
    outlet.send(.log(severity: min(max(severity, known.lowerBound), known.upperBound), text: text))
  }

  /// `host.format`.
  func format(_ told: UnsafePointer<voiced_format>?) {
    guard gate.pointee.isStarted.load(ordering: .relaxed) else {
      return gate.pointee.note(.toldWhileStopped)
    }
    guard let told, let format = SoundFormat(told.pointee) else {
      return gate.pointee.note(.badFormat)
    }
    gate.pointee.prepare(format)
    outlet.send(.format(rate: Int(format.rate), channels: format.channels))
  }

  /// `host.ended`; once.
  func ended(_ code: Int32) {
    guard gate.pointee.isStarted.load(ordering: .relaxed) else {
      return gate.pointee.note(.toldWhileStopped)
    }
    guard !isAudioThread, !gate.pointee.hasEnded.exchange(true, ordering: .relaxed) else { return }
    outlet.send(.ended(code > 0 ? -code : code))
  }
}

/// The table for a plugin; each function finds its place again through the `host` member.
func hostTable(_ places: UnsafeMutablePointer<HostPlaces>) -> voiced_host {
  voiced_host(
    size: UInt32(MemoryLayout<voiced_host>.size), host: UnsafeMutableRawPointer(places),
    extension: { _, _ in nil },
    log: { host, severity, text in place(host)?.pointee.log(severity, text) },
    format: { host, format in place(host)?.pointee.format(format) },
    push: { host, channels, frames, time in
      place(host)?.pointee.gate.pointee.push(channels, frames: frames, time: time)
    },
    push_level: { host, level, time in
      place(host)?.pointee.gate.pointee.pushLevel(level, time: time)
    },
    linked: { host, target in
      place(host)?.pointee.onMain?.linked(pluginText(target, limit: 4096))
    },
    ended: { host, code in place(host)?.pointee.ended(code) },
    call_main: { host in place(host)?.pointee.gate.pointee.callMain() },
    watch: { host, descriptor, read, write in
      place(host)?.pointee.onMain?.watch(descriptor, read: read != 0, write: write != 0) ?? -EINVAL
    })
}

private func place(_ host: UnsafePointer<voiced_host>?) -> UnsafeMutablePointer<HostPlaces>? {
  host?.pointee.host?.assumingMemoryBound(to: HostPlaces.self)
}
