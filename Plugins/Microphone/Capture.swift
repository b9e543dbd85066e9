import CPipeWire
import CVoiced

/// One capture from start to stop: looks at the graph and makes it as it should be, again and again. [main]
///
/// Everything that heals is this one rule: resolve the target, have a stream of its width, have the links. Unplug,
/// replug, another default, another session manager all are just another look.
final class Capture {
  private let server: Server
  private let host: UnsafePointer<voiced_host>
  private let target: Target
  private var properties: StreamProperties
  private var stream: CaptureStream?
  private let links: LinkSet
  private var told: Text?
  private var hasTold = false
  /// The default source that was told to be no microphone.
  private var warned: Text?
  /// It was told that the server does not answer.
  private var saysUnheard = false
  private var toldChannels = 0
  /// When the last buffer of the streams before began, in ns: times never go back.
  private(set) var lastStart: Int64

  init(
    _ server: Server, _ host: UnsafePointer<voiced_host>, _ target: Target, _ options: Options,
    notBefore start: Int64
  ) {
    lastStart = start
    self.server = server
    self.host = host
    self.target = target
    links = LinkSet { [unowned(unsafe) server] in server.noteChange() }
    properties = StreamProperties(
      isRecording: options.isRecording, role: options.role, isPinned: target != .followsDefault,
      isSinkMonitor: target.isMonitor)
  }

  func record(_ isRecording: Bool) {
    properties.isRecording = isRecording
    stream?.mark(recording: isRecording, role: properties.role)
  }

  /// Makes the graph as it should be.
  ///
  /// What comes of it is seen at the next look.
  ///
  /// - Returns: false when the server refused something; `forgive` and look again in a while.
  func look() -> Bool {
    guard let core = server.core else { return true }
    let outputs = wanted().map { server.graph.outputs(of: $0) }
    let channels = min(outputs.map { $0.count }.max() ?? 0, Feed.mostChannels)
    if isLeftUnconfigured { drop() }
    if channels > 0 { haveStream(core, channels) }
    if let stream, let node = stream.node {
      let inputs = server.graph.inputs(of: node)
      let wishes =
        inputs.count == channels
        ? outputs.flatMap { zip($0, inputs).map { LinkSet.Wish(from: $0, to: $1) } } : []
      let isOurs = !isLinkedByOthers(node)
      links.keep(wishes)
      if isOurs, links.make(wishes, core) { stream.isLinkedAnew() }
    }
    tell(isSure: false)
    return !links.isRefused && (channels == 0 || stream?.hasFailed == false)
  }

  /// The session manager left before it had configured the ports of our stream.
  private var isLeftUnconfigured: Bool {
    guard server.defaults?.isPresent != true, !properties.configuresItself,
      let node = stream?.node
    else { return false }
    return server.graph.inputs(of: node).isEmpty
  }

  /// What was refused may be asked for again.
  func forgive() {
    links.forgive()
    if stream?.hasFailed == true { drop() }
  }

  /// The connection is gone, or the capture ends.
  func drop() {
    links.removeAll()
    if let stream { lastStart = stream.destroy() }
    stream = nil
  }

  /// Tells what really feeds our node, when that is something else than what was told last.
  ///
  /// - Parameter isSure: nothing is linked, and that is not only because it takes a moment at the start.
  func tell(isSure: Bool) {
    let now = stream?.node.flatMap { server.graph.peers(of: $0).first }?.target
    if saysUnheard, server.hasSpoken {
      saysUnheard = false
      warned = nil
      host.pointee.log(host, Int32(VOICED_LOG_INFO), "PipeWire answers.")
    }
    if hasTold ? now != told : isSure || now != nil {
      told = now
      hasTold = true
      warned = nil
      if let now {
        now.withCString { host.pointee.linked(host, $0) }
      } else {
        host.pointee.linked(host, nil)
      }
    }
    if hasTold, now == nil { warn() }
  }

  /// Says why nothing is linked, where that is not to be seen from outside.
  ///
  /// The default often changes a moment after the microphone is gone.
  private func warn() {
    guard server.hasSpoken else {
      if !saysUnheard {
        saysUnheard = true
        host.pointee.log(
          host, Int32(VOICED_LOG_WARNING),
          "PipeWire does not answer. Where it is not running: systemctl --user start pipewire wireplumber"
        )
      }
      return
    }
    guard target == .followsDefault, let name = server.defaults?.source, name != warned,
      server.graph.nodes.contains(where: { $0.kind == .sink && $0.name == name })
    else { return }
    warned = name
    let line =
      Text("There is no microphone: the default source is ")
      + (name == Text("auto_null")
        ? Text("PipeWire's own null sink (auto_null)") : Text("the monitor of ") + name.escaped)
      + Text(". Plug one in, or choose one with: wpctl set-default ID")
    line.withCString { host.pointee.log(host, Int32(VOICED_LOG_WARNING), $0) }
  }

  /// The nodes that should feed us: where a person moved our stream to, else the target.
  private func wanted() -> [Graph.Node] {
    if let node = stream?.node, let move = server.defaults?.move(of: node) {
      let moved = server.graph.nodes.first {
        $0.isDevice && ($0.name == move || $0.serial == move.number)
      }
      if let moved { return [moved] }
    }
    return target.nodes(in: server.graph, default: server.defaults?.source)
  }

  /// Whether a person made links to our stream by hand: then ours do not come back on top of them.
  private func isLinkedByOthers(_ node: UInt32) -> Bool {
    server.graph.links.contains { $0.inputNode == node && !links.contains($0) }
  }

  private func haveStream(_ core: OpaquePointer, _ channels: Int) {
    if let stream, stream.channels == channels || stream.hasFailed { return }
    drop()
    if toldChannels != channels {
      toldChannels = channels
      var format = voiced_format(
        size: UInt32(MemoryLayout<voiced_format>.size), rate: CaptureStream.rate,
        channels: UInt32(channels))
      host.pointee.format(host, &format)
    }
    properties.configuresItself = server.defaults?.isPresent != true
    stream = CaptureStream(
      core, host, channels: channels, properties: properties, notBefore: lastStart
    ) { [unowned(unsafe) server] in server.noteChange() }
  }
}

extension Target {
  fileprivate var isMonitor: Bool {
    if case .monitor = self { return true }
    return false
  }
}
