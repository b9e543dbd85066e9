import Foundation
import Testing
import VoiceTestKit

/// One of the plugins in `Tests/BadPlugins`, each of which breaks one rule.
struct BadPlugin: CustomTestStringConvertible, Sendable {
  let name: String
  /// "check result" of the one row that must show it; "nothing" for a good one.
  let expected: String

  var testDescription: String { name }

  /// All there are, by their file names; a file that does not say what it expects fails its test.
  static let all: [BadPlugin] = {
    let files = (try? FileManager.default.contentsOfDirectory(atPath: Tree.badPlugins)) ?? []
    return files.filter { $0.hasSuffix(".c") }.sorted().map { file in
      let text = TextFile.read(Tree.badPlugins + "/" + file)
      let line = text.split(separator: "\n").first { $0.contains("expect: ") } ?? ""
      let words = line.split(separator: " ").drop { $0 != "expect:" }.dropFirst()
      let expected = words.prefix { $0 != "*/" }.joined(separator: " ")
      return BadPlugin(name: String(file.dropLast(2)), expected: expected)
    }
  }()

  static func named(_ name: String) throws -> BadPlugin {
    guard let plugin = all.first(where: { $0.name == name }) else {
      throw RigFailure("there is no bad plugin \(name)")
    }
    return plugin
  }

  /// Compiles it into a folder, as the source `id`; returns the library's path.
  @discardableResult
  func build(in folder: String, id: String? = nil) throws -> String {
    let library = "\(folder)/libvoiced-\(id ?? name).so"
    let result = try runTool(
      "cc",
      [
        "-std=gnu11", "-O1", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC",
        "-fvisibility=hidden", "-I" + Tree.include,
      ] + (id.map { ["-DID=\"\($0)\""] } ?? []) + [
        "\(Tree.badPlugins)/\(name).c", "-o", library, "-lm",
      ], timeout: 60)
    guard result.isSuccess else { throw RigFailure("\(name).c: \(result.errorText)") }
    return library
  }
}
