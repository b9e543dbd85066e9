import CPipeWire
import CVoiced
import Synchronization

/// One capture stream: a node called `voiced` with as many channels as what it is going to be linked to. [main]
///
/// It is not linked by the session manager: `LinkSet` does that. Channels are numbered, not named, on our side,
/// so that nothing is mixed on the way.
final class CaptureStream {
  /// Frames per second of what is delivered; the server resamples where a device differs.
  static let rate: UInt32 = 48000

  let channels: Int
  /// The server refused it, or somebody destroyed it there; make another one later.
  private(set) var hasFailed = false
  private let stream: OpaquePointer
  private let feed: UnsafeMutablePointer<Feed>
  /// The stream was linked anew: what it delivers first may be filler.
  ///
  /// Apart from the feed, which is the data thread's alone.
  private let isFresh: UnsafeMutablePointer<Atomic<Bool>>
  private let states: Listener<pw_stream_events>
  private let sound: Listener<pw_stream_events>
  private let onChange: () -> Void

  /// Asks for the stream; nil when that could not even be asked.
  init?(
    _ core: OpaquePointer, _ host: UnsafePointer<voiced_host>, channels: Int,
    properties: StreamProperties, notBefore start: Int64, onChange: @escaping () -> Void
  ) {
    guard let stream = pw_stream_new(core, "voiced", properties.made()) else { return nil }
    self.stream = stream
    self.channels = channels
    self.onChange = onChange
    isFresh = .allocate(capacity: 1)
    isFresh.initialize(to: Atomic(true))
    feed = .allocate(capacity: 1)
    feed.initialize(to: Feed(host, stream, isFresh: isFresh, notBefore: start))
    states = Listener(CaptureStream.stateEvents())
    sound = Listener(CaptureStream.soundEvents())
    let data = Unmanaged.passUnretained(self).toOpaque()
    pw_stream_add_listener(stream, states.hook, states.events, data)
    pw_stream_add_listener(stream, sound.hook, sound.events, feed)
    guard connect() >= 0 else {
      _ = destroy()
      return nil
    }
    // The server has not seen it yet, so it never looks like a recording.
    if !properties.isRecording { mark(recording: false, role: nil) }
  }

  /// Ends the stream; no push once this returns.
  ///
  /// The hooks go with the stream: taken out before, the data thread might be walking their list.
  ///
  /// - Returns: when its last buffer began, in ns.
  func destroy() -> Int64 {
    pw_stream_destroy(stream)
    defer {
      feed.deallocate()
      isFresh.deinitialize(count: 1)
      isFresh.deallocate()
    }
    let start = feed.pointee.lastStart
    feed.deinitialize(count: 1)
    return start
  }

  /// Id of our node in the graph, once the server has told it.
  var node: UInt32? {
    let id = pw_stream_get_node_id(stream)
    return id == UInt32.max ? nil : id
  }

  /// What comes next may begin with filler.
  func isLinkedAnew() { isFresh.pointee.store(true, ordering: .releasing) }

  /// Tells privacy indicators whether this is a recording or only a meter; without a gap, on the same node.
  ///
  /// Only a recording has the role: a meter is no call.
  func mark(recording: Bool, role: Text?) {
    (recording ? "false" : "true").withCString { set("stream.monitor", $0) }
    guard let role else { return }
    // The server forgets no property that it was once told: an empty one is none.
    role.withCString { role in "".withCString { set("media.role", recording ? role : $0) } }
  }

  /// Changes a property of the running stream.
  private func set(_ key: StaticString, _ value: UnsafePointer<CChar>) {
    key.withUTF8Buffer { bytes in
      // A static string ends with a zero byte that its length does not count.
      bytes.withMemoryRebound(to: CChar.self) { key in
        var item = spa_dict_item(key: key.baseAddress, value: value)
        withUnsafePointer(to: &item) { items in
          var dictionary = spa_dict(flags: 0, n_items: 1, items: items)
          _ = pw_stream_update_properties(stream, &dictionary)
        }
      }
    }
  }

  private func connect() -> Int32 {
    var info = spa_audio_info_raw()
    info.format = SPA_AUDIO_FORMAT_F32P
    info.rate = CaptureStream.rate
    info.channels = UInt32(channels)
    withUnsafeMutableBytes(of: &info.position) { bytes in
      let positions = bytes.bindMemory(to: UInt32.self)
      for i in 0..<min(channels, positions.count) {
        let first = channels == 1 ? SPA_AUDIO_CHANNEL_MONO : SPA_AUDIO_CHANNEL_AUX0
        positions[i] = first.rawValue + UInt32(i)
      }
    }
    return withUnsafeTemporaryAllocation(byteCount: 2048, alignment: 8) { memory in
      var builder = spa_pod_builder()
      spa_pod_builder_init(&builder, memory.baseAddress, UInt32(memory.count))
      var format = UnsafePointer(
        spa_format_audio_raw_build(&builder, SPA_PARAM_EnumFormat.rawValue, &info))
      let flags = PW_STREAM_FLAG_MAP_BUFFERS.rawValue | PW_STREAM_FLAG_RT_PROCESS.rawValue
      return pw_stream_connect(
        stream, SPA_DIRECTION_INPUT, UInt32.max, pw_stream_flags(flags), &format, 1)
    }
  }

  private static func stateEvents() -> pw_stream_events {
    var events = pw_stream_events()
    events.version = UInt32(PW_VERSION_STREAM_EVENTS)
    events.state_changed = { data, _, state, _ in
      guard let data else { return }
      let stream = Unmanaged<CaptureStream>.fromOpaque(data).takeUnretainedValue()
      if state == PW_STREAM_STATE_ERROR || state == PW_STREAM_STATE_UNCONNECTED {
        stream.hasFailed = true
      }
      stream.onChange()
    }
    return events
  }

  /// The data thread's own, which knows of no object.
  private static func soundEvents() -> pw_stream_events {
    var events = pw_stream_events()
    events.version = UInt32(PW_VERSION_STREAM_EVENTS)
    events.process = { $0?.assumingMemoryBound(to: Feed.self).pointee.process() }
    return events
  }
}
