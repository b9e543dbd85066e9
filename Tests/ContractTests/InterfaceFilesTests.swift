import Foundation
import Testing

@testable import VoiceCore

/// The installed interface files, as other people's tools read them.
@Suite struct InterfaceFilesTests {
  static let names = ["Manager", "Monitor", "Recorder"].map { "org.voiced.Voiced1." + $0 }

  private static let package = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
  private static let folder = package.appendingPathComponent("data/dbus-1/interfaces")

  private static func file(_ name: String) -> String {
    folder.appendingPathComponent(name + ".xml").path
  }

  @Test("every interface of the daemon is installed, and no other")
  func complete() throws {
    let files = try FileManager.default.contentsOfDirectory(atPath: Self.folder.path)
    #expect(files.sorted() == Self.names.map { $0 + ".xml" })
  }

  @Test("the daemon's copy is the installed file", arguments: names)
  func oneCopy(name: String) throws {
    let text = try String(contentsOfFile: Self.file(name), encoding: .utf8)
    #expect(text.contains(try description(name).xml))
  }

  @Test("gdbus-codegen makes C of it", arguments: names)
  func gdbus(name: String) throws {
    try inScratch { scratch in
      let made = try run(
        "gdbus-codegen", "--generate-c-code", "made", "--output-directory", scratch,
        Self.file(name))
      #expect(made.status == 0, "\(made.output)")
      #expect(FileManager.default.fileExists(atPath: scratch + "/made.h"))
    }
  }

  @Test("qdbusxml2cpp makes C++ of it without a warning", arguments: names)
  func qt(name: String) throws {
    try inScratch { scratch in
      let made = try run("qdbusxml2cpp", "-p", scratch + "/made.h:", Self.file(name))
      #expect(made.status == 0, "\(made.output)")
      #expect(made.output == "")
      #expect(FileManager.default.fileExists(atPath: scratch + "/made.h"))
    }
  }

  @Test("no property shares a name with a signal or a method", arguments: names)
  func distinct(name: String) throws {
    let description = try description(name)
    let members =
      description.methods.map(\.name) + description.signals.map(\.name)
      + description.properties.map(\.name)
    #expect(Set(members).count == members.count)
    #expect(!members.isEmpty)
  }

  @Test("level and elapsed are never in PropertiesChanged")
  func quiet() {
    for name in ["CurrentLevel", "CurrentElapsed"] {
      #expect(InterfaceDescription.recorder.property(name)?.change == .untold)
    }
  }

  @Test("our reading of it is that of an XML library", arguments: names)
  func independent(name: String) throws {
    let theirs = try run("python3", "-c", Self.reader, Self.file(name))
    #expect(theirs.status == 0, "\(theirs.output)")
    #expect(theirs.output == lines(of: try description(name)))
  }

  @Test("the introspection document is well-formed XML", arguments: names)
  func document(name: String) throws {
    try inScratch { scratch in
      let path = scratch + "/document.xml"
      let text = introspectionDocument(interface: try description(name), children: ["1"])
      try text.write(toFile: path, atomically: true, encoding: .utf8)
      let theirs = try run("python3", "-c", Self.reader, path)
      #expect(theirs.status == 0, "\(theirs.output)")
      #expect(theirs.output.hasPrefix(lines(of: try description(name))))
    }
  }

  private func description(_ name: String) throws -> InterfaceDescription {
    let all: [InterfaceDescription] = [.manager, .monitor, .recorder]
    return try #require(all.first { $0.name == name })
  }

  /// One line a member, in the order of kinds and of the file.
  private func lines(of description: InterfaceDescription) -> String {
    func list(_ arguments: [InterfaceDescription.Argument]) -> String {
      arguments.map { "\($0.name):\($0.type)" }.joined(separator: ",")
    }
    var lines = ["interface \(description.name)"]
    for method in description.methods {
      lines.append("method \(method.name) (\(list(method.inputs))) (\(list(method.outputs)))")
    }
    for signal in description.signals {
      lines.append("signal \(signal.name) (\(list(signal.arguments)))")
    }
    for property in description.properties {
      let access = (property.isReadable ? "read" : "") + (property.isWritable ? "write" : "")
      lines.append(
        "property \(property.name) \(property.type) \(access) \(property.change.rawValue)")
    }
    return lines.joined(separator: "\n") + "\n"
  }

  private static let reader = """
    import sys, xml.etree.ElementTree as ET
    def args(m, want, default):
        return ",".join(f"{a.get('name')}:{a.get('type')}" for a in m.iter("arg") if a.get("direction", default) == want)
    for i in ET.parse(sys.argv[1]).getroot().iter("interface"):
        print("interface", i.get("name"))
        for m in i.iter("method"): print(f"method {m.get('name')} ({args(m, 'in', 'in')}) ({args(m, 'out', 'in')})")
        for s in i.iter("signal"): print(f"signal {s.get('name')} ({args(s, 'out', 'out')})")
        for p in i.iter("property"):
            told = [a.get("value") for a in p.iter("annotation") if a.get("name").endswith("EmitsChangedSignal")]
            print("property", p.get("name"), p.get("type"), p.get("access"), told[0] if told else "true")
    """
}

/// Runs a program found in PATH, at most 30 s, and returns what it wrote.
private func run(_ arguments: String...) throws -> (status: Int32, output: String) {
  let process = Process()
  process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
  // timeout ends a program that hangs; Foundation starts children with the mask of this thread.
  process.arguments = ["timeout", "-s", "KILL", "30"] + arguments
  let pipe = Pipe()
  process.standardOutput = pipe
  process.standardError = pipe
  process.standardInput = FileHandle.nullDevice
  try process.run()
  let output = pipe.fileHandleForReading.readDataToEndOfFile()
  process.waitUntilExit()
  return (process.terminationStatus, String(decoding: output, as: UTF8.self))
}

/// A folder of its own for the time of a call.
private func inScratch(_ body: (String) throws -> Void) throws {
  let scratch = FileManager.default.temporaryDirectory
    .appendingPathComponent("contract-\(UUID().uuidString)")
  try FileManager.default.createDirectory(at: scratch, withIntermediateDirectories: true)
  defer { try? FileManager.default.removeItem(at: scratch) }
  try body(scratch.path)
}
