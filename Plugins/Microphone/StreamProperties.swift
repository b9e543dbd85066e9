import CPipeWire

/// How our stream presents itself to mixers, indicators and the session manager.
struct StreamProperties {
  var isRecording: Bool
  /// `media.role`, absent by default: a role may flip a headset to call quality.
  var role: Text?
  /// Nothing else may be put in the place of what was asked for.
  var isPinned: Bool
  var isSinkMonitor: Bool
  /// There is no session manager to configure the ports.
  var configuresItself = false

  /// PipeWire's own list of these; the stream that is given it frees it.
  func made() -> UnsafeMutablePointer<pw_properties>? {
    // Saved volumes and routes would silence or move a recorder that has been told where to listen.
    let properties = pw_properties_new_string(
      """
      { node.name=voiced node.description=voiced media.name=voiced application.name=voiced
        application.id=org.voiced.Voiced1 application.icon-name=audio-input-microphone
        media.type=Audio media.category=Capture node.latency=1024/48000 stream.dont-remix=true
        state.restore-props=false state.restore-target=false }
      """)
    guard let properties else { return nil }
    // A stream that begins as a meter is resampled by its peaks, for good: it is marked as one later.
    pw_properties_set(properties, "stream.monitor", "false")
    if configuresItself {
      pw_properties_set(properties, "adapter.auto-port-config", "{ mode=dsp position=preserve }")
    }
    if isPinned { pw_properties_set(properties, "node.dont-reconnect", "true") }
    if isSinkMonitor { pw_properties_set(properties, "stream.capture.sink", "true") }
    if isRecording, let role {
      _ = role.withCString { pw_properties_set(properties, "media.role", $0) }
    }
    return properties
  }
}
