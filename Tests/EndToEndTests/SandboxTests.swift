import Testing
import VoiceIO
import VoiceTestKit

/// Callers in a flatpak-like sandbox, against the permission store of the portals.
@Suite("Sandboxed callers", .lane, .enabled(if: Sandbox.isPossible))
struct SandboxTests {
  @Test("the microphone is theirs with a yes in the permission store, and only then")
  func permission() throws {
    let stage = try Stage(.none)
    let sandbox = Sandbox(stage.rig, application: "org.example.Talker")
    #expect(
      try sandbox.call(Voiced.recorderPath, Voiced.recorder + ".Start").error == "AccessDenied")
    for word in ["no", "ask", "YES"] {
      try sandbox.permit(word, by: stage.client)
      let answer = try sandbox.call(Voiced.recorderPath, Voiced.recorder + ".Press")
      #expect(answer.error == "AccessDenied", "\(word)")
    }
    #expect(try stage.phase == "idle")
    try sandbox.permit("yes", by: stage.client)
    let answer = try sandbox.call(Voiced.recorderPath, Voiced.recorder + ".Start")
    #expect(answer.error == nil && answer.text.contains("uint32 1"), "\(answer)")
    // Nobody else has gained anything by it, and it can be taken back.
    try stage.client.verb("Cancel")
    let other = Sandbox(stage.rig, application: "org.example.Other")
    #expect(try other.call(Voiced.recorderPath, Voiced.recorder + ".Start").error == "AccessDenied")
    try sandbox.permit("no", by: stage.client)
    #expect(
      try sandbox.call(Voiced.recorderPath, Voiced.recorder + ".Start").error == "AccessDenied")
    let lease = try sandbox.call(
      Voiced.path, Voiced.manager + ".OpenMonitor", "{'source': <'microphone'>}")
    #expect(lease.error == "AccessDenied")
    #expect(lease.text.contains("allow it in the privacy settings"), "\(lease.text)")
  }

  @Test("speech needs no permission; files, sinks and other applications are not theirs at all")
  func targets() throws {
    let stage = try Stage(.none)
    let sandbox = Sandbox(stage.rig, application: "org.example.Talker")
    try sandbox.permit("yes", by: stage.client)
    for (source, target) in [
      ("file", "/usr/share/sounds/x.wav"), ("microphone", "monitor:speakers"),
      ("microphone", "app:Firefox"),
    ] {
      for method in [Voiced.recorder + ".Begin", Voiced.manager + ".OpenMonitor"] {
        let path = method.contains("Recorder") ? Voiced.recorderPath : Voiced.path
        let answer = try sandbox.call(
          path, method, "{'source': <'\(source)'>, 'target': <'\(target)'>}")
        #expect(answer.error == "AccessDenied", "\(method) \(source) \(target): \(answer)")
      }
    }
    #expect(stage.client.received.allSatisfy { $0.member != "Phase" })
    // Nor can others' takes be pointed there, or those of a recorder of its own.
    func set(_ property: String, _ value: String) throws -> String? {
      try sandbox.call(
        Voiced.recorderPath, "org.freedesktop.DBus.Properties.Set", Voiced.recorder, property,
        "<'\(value)'>"
      ).error
    }
    for (property, value) in [
      ("Source", "file"), ("Target", "monitor:speakers"), ("Target", "app:Firefox"),
    ] {
      #expect(try set(property, value) == "AccessDenied", "\(property) \(value)")
      let made = try sandbox.call(
        Voiced.path, Voiced.manager + ".CreateRecorder", "{'\(property)': <'\(value)'>}")
      #expect(made.error == "AccessDenied", "\(property) \(value): \(made)")
    }
    #expect(try set("Source", "speech") == nil && set("Target", "mine") == nil)
    try stage.use("file", "/x.wav")
    #expect(try set("Target", "/y.wav") == "AccessDenied")
    #expect(try stage.client.get("Target").text == "/x.wav")
    try stage.use("microphone")
    try sandbox.permit("no", by: stage.client)
    let answer = try sandbox.call(
      Voiced.recorderPath, Voiced.recorder + ".Begin", "{'source': <'speech'>}")
    #expect(answer.error == nil, "\(answer)")
    try stage.client.verb("Cancel")
    // The settings of the shared session are no way round it either.
    try stage.use("microphone", "monitor:speakers")
    try sandbox.permit("yes", by: stage.client)
    #expect(
      try sandbox.call(Voiced.recorderPath, Voiced.recorder + ".Start").error == "AccessDenied")
  }

  @Test("they cannot set the access switch")
  func access() throws {
    let stage = try Stage(.none)
    let sandbox = Sandbox(stage.rig, application: "org.example.Talker")
    try sandbox.permit("yes", by: stage.client)
    for value in ["false", "true"] {
      let answer = try sandbox.call(
        Voiced.path, "org.freedesktop.DBus.Properties.Set", Voiced.manager, "Access",
        "<\(value)>")
      #expect(answer.error == "AccessDenied", "\(answer)")
      #expect(!answer.text.contains("privacy"), "\(answer)")
    }
    #expect(try stage.client.get("Access", of: Voiced.manager) == .boolean(true))
  }
}
