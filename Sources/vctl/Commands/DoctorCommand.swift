import Glibc
import VoiceCore
import VoiceIO

/// `vctl doctor`: looks at everything between a voice and its recording.
enum DoctorCommand {
  static func run(_ line: Invocation) throws(Failure) -> ExitCode {
    let findings: [Finding]
    do throws(Failure) {
      let daemon = try Daemon()
      do throws(Failure) {
        findings = Diagnosis.findings(try facts(daemon))
      } catch {
        findings = [
          Finding("bus", .ok, "The session bus answers (\(broker(daemon) ?? "unknown broker"))."),
          Finding("daemon", .mend, "voiced cannot be reached.", error.text),
        ]
      }
    } catch {
      findings = [Finding("bus", .mend, "The session bus cannot be reached.", error.text)]
    }
    let isWell = !findings.contains { $0.state == .mend }
    if line.has("json") {
      let json: Json = [
        "ok": .boolean(isWell), "checks": .array(findings.map(\.json)),
        "version": .string(WireNames.daemonVersion),
      ]
      try Standard.say(json.text)
    } else {
      try Standard.print(text(findings))
    }
    return isWell ? .done : .notDone
  }

  private static func text(_ findings: [Finding]) -> String {
    var out = ""
    for finding in findings {
      let label = finding.state.rawValue + String(repeating: " ", count: 6)
      out += label.prefix(6) + Help.fold(finding.text, indent: 6).dropFirst(6)
      if !finding.advice.isEmpty { out += Help.fold("-> " + finding.advice, indent: 6) }
    }
    return out
  }

  private static func facts(_ daemon: Daemon) throws(Failure) -> Facts {
    var facts = Facts()
    facts.manager = try daemon.all(of: Daemon.manager)
    facts.recorder = try daemon.all(of: Daemon.recorder)
    facts.broker = broker(daemon)
    facts.hasAudioServer = AudioServer.isThere
    do throws(Failure) {
      facts.microphones = .success(try daemon.targets(of: "microphone"))
    } catch { facts.microphones = .failure(error) }
    let takes = try daemon.call("GetTakes", of: Daemon.manager).first?.items ?? []
    facts.lastTake = takes.first?.entries
    if access("/.flatpak-info", F_OK) == 0 { facts.sandbox = "flatpak" }
    if ProcessEnvironment.value("SNAP") != nil { facts.sandbox = "snap" }
    let folders = BaseFolders()
    facts.configurationPath = folders.config + "/voiced/voiced.conf"
    facts.configuration = .file(at: facts.configurationPath)
    look(at: folders.state + "/voiced", &facts)
    return facts
  }

  /// The program that runs the bus.
  private static func broker(_ daemon: Daemon) -> String? {
    let answer = try? daemon.bus.callAndWait(
      destination: "org.freedesktop.DBus", path: "/org/freedesktop/DBus",
      interface: "org.freedesktop.DBus", member: "GetConnectionUnixProcessID",
      [.string("org.freedesktop.DBus")], timeout: 2)
    guard let pid = answer?.first?.whole, let name = SmallFile.text("/proc/\(pid)/comm") else {
      return nil
    }
    return String(name.prefix { $0 != "\n" })
  }

  /// Whether recordings can be kept: the folder itself, or the one it would be made in.
  private static func look(at folder: String, _ facts: inout Facts) {
    facts.folder = folder
    var place = folder
    while access(place, F_OK) != 0, let slash = place.lastIndex(of: "/"), slash != place.startIndex
    {
      place = String(place[..<slash])
    }
    var status = stat()
    if stat(place, &status) == 0, status.st_mode & S_IFMT != S_IFDIR {
      facts.folderProblem = "\(place.plain) is no folder"
    } else if access(place, W_OK | X_OK) != 0 {
      facts.folderProblem = String(cString: strerror(errno))
    }
    var disk = statvfs()
    if statvfs(place, &disk) == 0 {
      facts.freeBytes = UInt64(disk.f_bavail) * UInt64(disk.f_frsize)
    }
  }
}
