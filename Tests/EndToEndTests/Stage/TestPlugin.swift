import Glibc
import VoiceIO
import VoiceTestKit

/// Plugins that keep every rule but one, built by the C compiler that is there.
enum TestPlugin {
  private static let tests = #filePath.split(separator: "/").dropLast(3).map { "/" + $0 }.joined()

  /// Builds one from macros into the rig's plugin folder, and returns the folder.
  ///
  /// The source's id is "bad", unless a macro says otherwise; see `well_behaved.h` for the macros.
  @discardableResult
  static func build(_ rig: Rig, name: String = "bad", _ macros: [String]) throws -> String {
    let folder = try rig.desktop.folder.folder("plugins")
    let file = "\(rig.desktop.folder.path)/\(name).c"
    try TextFile.write(
      file, macros.map { "#define \($0)\n" }.joined() + "#include \"well_behaved.h\"\n")
    let result = try runTool(
      "cc",
      [
        "-shared", "-fPIC", "-O1", "-fvisibility=hidden", "-I\(tests)/BadPlugins",
        "-I\(tests)/../Sources/CVoiced/include", file, "-o", "\(folder)/lib\(name).so", "-lm",
        "-lpthread",
      ], timeout: 60)
    guard result.isSuccess else { throw RigFailure("no plugin: \(result.errorText)") }
    return folder
  }
}
