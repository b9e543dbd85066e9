import CVoiced

/// Lines for the host's log; any thread but the audio thread.
struct Log {
  let host: UnsafePointer<voiced_host>

  func info(_ text: String) { say(Int32(VOICED_LOG_INFO), text) }
  func warning(_ text: String) { say(Int32(VOICED_LOG_WARNING), text) }
  func error(_ text: String) { say(Int32(VOICED_LOG_ERROR), text) }

  private func say(_ severity: Int32, _ text: String) {
    text.withCString { host.pointee.log?(host, severity, $0) }
  }
}
