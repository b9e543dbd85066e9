import Testing
import VoiceCore
import VoiceIO

@testable import vctl

@Suite("The doctor's judgement")
struct DiagnosisTests {
  /// A desktop on which all is well.
  private var well: Facts {
    var facts = Facts()
    facts.broker = "dbus-daemon"
    facts.recorder = ["Source": .string("microphone"), "Target": .string("")]
    facts.manager = [
      "Access": .boolean(true), "DaemonVersion": .string(WireNames.daemonVersion),
      "Sources": .dictionaries([source("microphone"), source("speech")]),
    ]
    facts.microphones = .success([target("default", isDefault: false), target("mic")])
    facts.freeBytes = 10_000_000_000
    return facts
  }

  private func source(_ id: String, reason: String = "") -> [String: BusValue] {
    [
      "id": .string(id), "name": .string(id), "plugin": .string("/x/lib\(id).so"),
      "available": .boolean(reason.isEmpty), "reason": .string(reason),
    ]
  }

  private func target(
    _ name: String, isDefault: Bool = true, isMuted: Bool = false
  ) -> [String: BusValue] {
    [
      "target": .string(name), "name": .string("The \(name)"), "default": .boolean(isDefault),
      "muted": .boolean(isMuted),
    ]
  }

  private func mends(_ facts: Facts) -> [String] {
    Diagnosis.findings(facts).filter { $0.state == .mend }.map(\.check)
  }

  @Test("a desktop on which all is well has nothing to mend")
  func allWell() {
    #expect(mends(well).isEmpty)
    #expect(Diagnosis.findings(well).contains { $0.text == "The microphone is The mic." })
  }

  @Test("each fault is named once, with what to do")
  func faults() {
    let faults: [(String, (inout Facts) -> Void)] = [
      ("access", { $0.manager["Access"] = .boolean(false) }),
      ("daemon", { $0.manager["DaemonVersion"] = .string("0.0.9") }),
      ("server", { $0.hasAudioServer = false }),
      ("server", { $0.microphones = .failure(Failure(.refused, "No.")) }),
      ("microphone", { $0.microphones = .success([]) }),
      ("microphone", { $0.microphones = .success([target("monitor:sink")]) }),
      ("microphone", { $0.microphones = .success([target("mic", isMuted: true)]) }),
      ("microphone", { $0.microphones = .success([target("mic", isDefault: false)]) }),
      (
        "microphone",
        { $0.microphones = .success([target("monitor:sink"), target("mic", isDefault: false)]) }
      ),
      ("microphone", { $0.recorder["Target"] = .string("gone") }),
      ("source", { $0.recorder["Source"] = .string("gone") }),
      ("folder", { $0.folderProblem = "Permission denied" }),
      ("disk", { $0.freeBytes = 1_000_000 }),
      ("configuration", { $0.configuration = ConfigurationFile(text: "colour = red\n") }),
      ("configuration", { $0.configuration = ConfigurationFile(problem: "It is a folder.") }),
      (
        "plugin",
        {
          $0.manager["Sources"] = .dictionaries([
            source("microphone"), source("bad", reason: "writable by others"),
          ])
        }
      ),
    ]
    for (check, change) in faults {
      var facts = well
      change(&facts)
      #expect(mends(facts) == [check])
      for finding in Diagnosis.findings(facts) where finding.state == .mend {
        #expect(!finding.advice.isEmpty && finding.text.hasSuffix("."), "\(finding)")
      }
    }
  }

  @Test("a default that is no microphone is named, whether a microphone is there or not")
  func standIns() {
    for (id, words) in [
      ("monitor:sink", "the monitor of a loudspeaker (The monitor:sink)"),
      ("monitor:auto_null", "PipeWire's own null sink (auto_null)"),
    ] {
      for others in [[], [target("mic", isDefault: false)]] {
        var facts = well
        facts.microphones = .success([target(id)] + others)
        let told = Diagnosis.findings(facts).first { $0.state == .mend }
        #expect(told?.text.contains("default source is \(words)") == true, "\(told?.text ?? "")")
      }
    }
  }

  @Test("a monitor or a program that was chosen is no fault where there is no microphone")
  func chosenMonitor() {
    for id in ["monitor:sink", "app:Firefox"] {
      var facts = well
      facts.recorder["Target"] = .string(id)
      facts.microphones = .success([
        target("monitor:sink"), target("app:Firefox", isDefault: false),
      ])
      #expect(mends(facts).isEmpty, "\(id)")
      facts.microphones = .success([])
      #expect(mends(facts) == ["microphone"])
    }
  }

  @Test("a chosen microphone that is muted: the advice is not about the default one")
  func mutedChoice() {
    var facts = well
    facts.recorder["Target"] = .string("other")
    facts.microphones = .success([target("mic"), target("other", isDefault: false, isMuted: true)])
    let told = Diagnosis.findings(facts).first { $0.state == .mend }
    #expect(told?.text.contains("other is muted") == true)
    #expect(told?.advice.contains("DEFAULT") == false)
  }

  @Test("who records something else need not mend a microphone")
  func otherSource() {
    var facts = well
    facts.recorder["Source"] = .string("speech")
    facts.hasAudioServer = false
    #expect(mends(facts).isEmpty)
    #expect(Diagnosis.findings(facts).contains { $0.check == "server" && $0.state == .note })
  }

  @Test("the daemon's advice to run the doctor is no finding of the doctor's")
  func circular() {
    var facts = well
    facts.microphones = .failure(
      Failure(.refused, VoicedError.sourceUnavailable.sentence("it does not answer")))
    let findings = Diagnosis.findings(facts)
    #expect(findings.contains { $0.text.hasSuffix("now (it does not answer).") })
    #expect(findings.allSatisfy { !$0.text.contains("vctl doctor") })
  }

  @Test("a plugin behind one of the same id is told of, and left alone")
  func shadowed() throws {
    var facts = well
    facts.manager["Sources"] = .dictionaries([
      source("microphone"), source("speech", reason: "/a/lib.so " + WireNames.comesFirst),
    ])
    #expect(mends(facts).isEmpty)
    let note = try #require(Diagnosis.findings(facts).first { $0.check == "plugin" })
    #expect(note.state == .note && note.advice.isEmpty && note.text.contains("/a/lib.so"))
  }

  @Test("what a frozen subscriber costs is told for each broker")
  func broker() {
    for (name, word) in [("dbus-daemon", "57 MB"), ("dbus-broker", "100 minutes")] {
      var facts = well
      facts.broker = name
      #expect(Diagnosis.findings(facts).contains { $0.text.contains(word) })
    }
  }
}
