import Glibc
import VoiceIO

/// PipeWire, as far as its socket shows.
enum AudioServer {
  /// Something takes connections where PipeWire's clients look for it.
  static var isThere: Bool {
    guard let path = socketPath else { return false }
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let bytes = Array(path.utf8)
    guard bytes.count < MemoryLayout.size(ofValue: address.sun_path) else { return false }
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
    let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { return false }
    defer { close(descriptor) }
    return withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0
      }
    }
  }

  private static var socketPath: String? {
    let name = ProcessEnvironment.value("PIPEWIRE_REMOTE") ?? "pipewire-0"
    if name.utf8.first == UInt8(ascii: "/") { return name }
    let folder = ProcessEnvironment.value("PIPEWIRE_RUNTIME_DIR") ?? BaseFolders().runtime
    return folder.map { $0 + "/" + name }
  }
}
