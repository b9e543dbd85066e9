import Foundation

/// Where this package's files lie.
enum Tree {
  static let root = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().path
  static let include = root + "/Sources/CVoiced/include"
  static let header = include + "/voiced_source.h"
  static let badPlugins = root + "/Tests/BadPlugins"
  /// Plugins that are built with the package; the first three are installed with it.
  static let bundled = ["microphone", "file", "speech", "template"]
}
