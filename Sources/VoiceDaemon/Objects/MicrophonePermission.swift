import VoiceIO

/// Asks the portals' permission store whether a sandboxed application may use the microphone.
struct MicrophonePermission {
  /// Seconds after which no answer is a no; the caller's other calls wait that long.
  private static let patience = 0.5

  let bus: Bus

  func ask(_ application: String, then: @escaping (_ isAllowed: Bool) -> Void) {
    bus.call(
      destination: "org.freedesktop.impl.portal.PermissionStore",
      path: "/org/freedesktop/impl/portal/PermissionStore",
      interface: "org.freedesktop.impl.portal.PermissionStore", member: "Lookup",
      [.string("devices"), .string("microphone")], timeout: Self.patience
    ) { result in
      guard case .success(let values) = result,
        let entries = values.first.flatMap({ permissions(in: $0) })
      else { return then(false) }
      then(entries[application]?.first == "yes")
    }
  }
}

/// The application ids and their permissions in an `a{sas}`.
private func permissions(in value: BusValue) -> [String: [String]]? {
  guard case .array(_, let entries) = value else { return nil }
  var found: [String: [String]] = [:]
  for case .structure(let pair) in entries where pair.count == 2 {
    guard case .string(let id) = pair[0], case .array(_, let words) = pair[1] else { continue }
    found[id] = words.compactMap { if case .string(let word) = $0 { word } else { nil } }
  }
  return found
}
