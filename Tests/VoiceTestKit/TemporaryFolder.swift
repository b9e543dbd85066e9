import Foundation
import Glibc
import VoiceIO

/// A folder with a short path, for Unix sockets too, that is removed with its content.
package final class TemporaryFolder {
  package let path: String

  package init() throws {
    var template = Array("/tmp/v.XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else { throw IOError.last("make a temporary folder") }
    path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    Keeper.shared.tell("folder", path)
  }

  deinit { remove() }

  /// Makes a folder in it that nobody else may read, and returns its path.
  package func folder(_ name: String) throws -> String {
    let folder = path + "/" + name
    guard mkdir(folder, 0o700) == 0 || errno == EEXIST else {
      throw IOError.last("make \(folder)")
    }
    return folder
  }

  package func remove() {
    try? FileManager.default.removeItem(atPath: path)
    Keeper.shared.tell("removed", path)
  }
}
