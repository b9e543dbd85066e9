import CPipeWire

/// Whether one source is muted, as its properties say. [main]
final class MuteWatch {
  let serial: UInt64
  private(set) var isMuted = false
  private var proxy: OpaquePointer?
  private var listener: Listener<pw_node_events>?

  init(_ registry: OpaquePointer, _ node: Graph.Node) {
    serial = node.serial
    guard
      let bound = pw_registry_bind(
        registry, node.id, "PipeWire:Interface:Node", UInt32(PW_VERSION_NODE), 0)
    else { return }
    var events = pw_node_events()
    events.version = UInt32(PW_VERSION_NODE_EVENTS)
    events.param = { data, _, _, _, _, param in
      guard let data, let param else { return }
      Unmanaged<MuteWatch>.fromOpaque(data).takeUnretainedValue().heard(param)
    }
    let listener = Listener(events)
    self.listener = listener
    proxy = OpaquePointer(bound)
    _ = voiced_node_add_listener(
      bound, listener.hook, listener.events, Unmanaged.passUnretained(self).toOpaque())
    var wanted = SPA_PARAM_Props.rawValue
    _ = voiced_node_subscribe_params(bound, &wanted, 1)
  }

  func release() {
    listener?.remove()
    listener = nil
    if let proxy { pw_proxy_destroy(proxy) }
    proxy = nil
  }

  private func heard(_ param: UnsafePointer<spa_pod>) {
    guard let property = spa_pod_find_prop(param, nil, SPA_PROP_mute.rawValue) else { return }
    var value = false
    if spa_pod_get_bool(voiced_pod_value(property), &value) == 0 { isMuted = value }
  }
}
