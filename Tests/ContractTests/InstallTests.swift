import Foundation
import Testing
import VoiceTestKit

/// Where "make install" puts what others look for.
@Suite struct InstallTests {
  private static let package = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().path

  @Test(
    "systemd and the bus find their files below every prefix",
    arguments: [
      ("/usr", "lib"), ("/usr/local", "lib"), ("/home/me/.local", "share"), ("/opt/v", "share"),
    ])
  func layout(prefix: String, units: String) throws {
    let folder = try TemporaryFolder()
    let programs = try folder.folder("bin")
    for name in [
      "voiced", "vctl", "voiced-check", "voiced-source", "voiced-take", "libvoiced-microphone.so",
      "libvoiced-file.so", "libvoiced-speech.so",
    ] { try TextFile.write(programs + "/" + name, name) }
    let result = try runTool(
      "env", ["-C", Self.package, "tools/install", programs, folder.path + "/root", prefix])
    #expect(result.isSuccess, "\(result.errorText)")
    let root = folder.path + "/root" + prefix
    for place in [
      "\(units)/systemd/user/voiced.service",
      "share/dbus-1/services/org.voiced.Voiced1.service",
    ] {
      let text = try String(contentsOfFile: "\(root)/\(place)", encoding: .utf8)
      #expect(text.contains("\(prefix)/bin/voiced\n"), "\(place)")
    }
  }
}
