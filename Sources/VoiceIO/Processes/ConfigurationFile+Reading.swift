import Glibc
package import VoiceCore

extension ConfigurationFile {
  /// Bytes that are read at most; a file with every setting is far smaller.
  private static var limit: Int { 64 * 1024 }

  /// Reads the user's file; one that is not there is an empty one.
  ///
  /// What is not UTF-8 is repaired, so that it costs its line at most.
  package static func file(at path: String) -> ConfigurationFile {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else {
      return errno == ENOENT || errno == ENOTDIR ? ConfigurationFile(text: "") : unreadable(errno)
    }
    defer { close(descriptor) }
    var bytes = [UInt8](repeating: 0, count: limit + 1)
    let count = read(descriptor, &bytes, bytes.count)
    guard count >= 0 else { return unreadable(errno) }
    guard count <= limit else {
      return ConfigurationFile(problem: "The file is larger than 64 KiB and is ignored.")
    }
    return ConfigurationFile(text: String(decoding: bytes[..<count], as: UTF8.self))
  }

  private static func unreadable(_ code: Int32) -> ConfigurationFile {
    ConfigurationFile(
      problem: "The file cannot be read (\(String(cString: strerror(code)))) and is ignored.")
  }
}
