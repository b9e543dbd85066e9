import VoiceCore
import VoiceIO

extension Recorder: BusObject {
  var interface: InterfaceDescription { .recorder }

  func invoke(_ call: BusCall, by client: ClientName) {
    switch call.member {
    case "Start": begin(call, by: client, held: false, settings: defaults)
    case "Press": begin(call, by: client, held: true, settings: defaults)
    case "Begin":
      do throws(Refusal) {
        let (settings, held) = try defaults.with(options: call.options(0))
        begin(call, by: client, held: held, settings: settings)
      } catch {
        call.fail(error)
      }
    case "Release": call.reply([.uint32(handle(.release))])
    case "Lock": call.reply([.uint32(handle(.lock))])
    case "Send": call.reply([.uint32(handle(.send))])
    case "Cancel": call.reply([.uint32(handle(.cancel))])
    case "Attach":
      attach(client.name)
      call.reply([])
    case "Detach":
      detach(client.name)
      call.reply([])
    case "GetPeaks":
      let first = Int(clamping: call.number(0))
      call.reply([.doubles(peaks.dropFirst(first).prefix(1200).map { Double($0) })])
    default: break
    }
  }

  /// Takes whose processes run at a time, of all recorders.
  private static let mostTakes = 64

  private func begin(
    _ call: BusCall, by client: ClientName, held: Bool, settings: TakeSettings
  ) {
    guard phase == .idle else { return call.reply([.uint32(join(held: held))]) }
    do throws(Refusal) {
      guard services.library.running.count < Self.mostTakes else {
        throw Refusal(.limitExceeded, "\(Self.mostTakes) takes are being finished already")
      }
      let source = try services.gate.admit(
        client, source: settings.source, target: settings.target, playback: settings.playback,
        recording: true)
      call.reply([.uint32(begin(held: held, settings: settings, source: source, caller: client))])
    } catch {
      if error.error == .accessOff { tellNotice(.accessOff, [:]) }
      call.fail(error)
    }
  }

  /// What names a source waits until it is known whether there is such a one, so that the first
  /// Press after a start is neither refused nor overtaken by its Release.
  func prepare(_ call: BusCall, then: @escaping () -> Void) {
    var id: String?
    switch call.member {
    case "Start", "Press": id = phase == .idle ? defaults.source : nil
    case "Begin": id = (call.arguments.first?.entries?["source"]?.text) ?? defaults.source
    case "Set" where call.arguments.count == 3 && call.arguments[1].text == "Source":
      id = call.arguments[2].text ?? defaults.source
    default: break
    }
    if let id { services.withCatalog(id, then) } else { then() }
  }

  func value(of property: String) -> BusValue {
    switch property {
    case "CurrentPhase": .string(phase.rawValue)
    case "CurrentTake": .uint32(take)
    case "CurrentLevel": .double(level)
    case "CurrentElapsed": .double(elapsed(at: EventLoop.now))
    case "LinkedTarget": .string(linked)
    case "Source": .string(defaults.source)
    case "Target": .string(defaults.target)
    case "Format": .string(defaults.format.rawValue)
    case "MinimumDuration": .double(defaults.minimum)
    case "MaximumDuration": .double(defaults.maximum)
    case "AutoStop": .double(defaults.autoStop)
    case "PauseMedia": .boolean(defaults.pauseMedia)
    default: .uint32(WireNames.version)
    }
  }

  func set(
    _ property: String, to value: BusValue, by client: ClientName
  ) throws(Refusal) {
    let before = defaults
    let changed = try defaults.setting(property, to: value)
    try changed.check()
    switch property {
    case "Source": try services.gate.allow(client, source: changed.source, target: "")
    case "Target":
      try services.gate.allow(client, source: changed.source, target: changed.target)
    default: break
    }
    defaults = changed
    do throws(Refusal) {
      if property == "Source" {
        let source = try services.gate.source(defaults.source)
        if source.flags.contains(.levelsOnly) {
          throw Refusal(.noSound, "\(source.id) can be monitored, not recorded")
        }
      }
    } catch {
      defaults = before
      throw error
    }
    if defaults != before { mark(property) }
  }
}

extension TakeSettings {
  /// These settings with one writable property of the Recorder changed.
  func setting(_ property: String, to value: BusValue) throws(Refusal) -> TakeSettings {
    var settings = self
    switch (property, value) {
    case ("Source", .string(let text)): settings.source = try checked(text, property)
    case ("Target", .string(let text)): settings.target = try checked(text, property)
    case ("Format", .string(let text)): settings.format = try Self.format(text)
    case ("MinimumDuration", .double(let seconds)): settings.minimum = seconds
    case ("MaximumDuration", .double(let seconds)): settings.maximum = seconds
    case ("AutoStop", .double(let seconds)): settings.autoStop = seconds
    case ("PauseMedia", .boolean(let flag)): settings.pauseMedia = flag
    default: throw Refusal(.invalidValue, "'\(property)' cannot be set to that")
    }
    return settings
  }
}
