import Glibc
import VoiceIO
import VoiceTestKit

/// Runs programs as flatpak does: in a mount namespace whose root folder says which application it is.
struct Sandbox {
  let application: String
  private let rig: Rig

  init(_ rig: Rig, application: String) {
    self.rig = rig
    self.application = application
  }

  /// A root of a tmpfs with what a program needs bound into it; as root or as anybody.
  private static let script = """
    set -e
    root=$1 runtime=$2 application=$3
    shift 3
    mount -t tmpfs tmpfs "$root"
    for folder in usr bin lib lib32 lib64 sbin etc proc opt; do
      if [ -L "/$folder" ]; then cp -P "/$folder" "$root/$folder"
      elif [ -d "/$folder" ]; then mkdir "$root/$folder"; mount --rbind "/$folder" "$root/$folder"
      fi
    done
    mkdir -p "$root$runtime"
    mount --rbind "$runtime" "$root$runtime"
    printf '[Application]\\nname=%s\\n' "$application" > "$root/.flatpak-info"
    exec chroot "$root" "$@"
    """

  /// Calls a method of the daemon; the name of the error it gave, and what it printed.
  func call(
    _ path: String, _ method: String, _ arguments: String...
  ) throws -> Answer {
    let root = try rig.desktop.folder.folder("root")
    let result = try runTool(
      "unshare",
      [
        "--user", "--map-current-user", "--keep-caps", "--mount", "/bin/sh", "-c", Self.script,
        "sandbox", root, rig.desktop.runtime, application, "/usr/bin/gdbus", "call", "--session",
        "--dest", Voiced.name, "--object-path", path, "--method", method,
      ] + arguments, environment: rig.desktop.environment)
    guard let status = result.status, result.isSuccess || status == .exited(1) else {
      throw RigFailure("the sandbox did not come up: \(result.errorText)")
    }
    // "Error: GDBus.Error:the.name.of.it: a sentence"
    let words = result.errorText.split(separator: ":")
    guard result.isSuccess || (words.count > 2 && words[1] == " GDBus.Error") else {
      throw RigFailure("no answer in the sandbox: \(result.errorText)")
    }
    let name = result.isSuccess ? nil : words[2].split(separator: ".").last.map(String.init)
    return Answer(error: name, text: result.isSuccess ? result.text : result.errorText)
  }

  struct Answer {
    /// The last part of the error's name.
    let error: String?
    let text: String
  }

  /// Writes into the real permission store what the user has said of the microphone.
  func permit(_ word: String, by client: BusClient) throws {
    _ = try client.call(
      destination: "org.freedesktop.impl.portal.PermissionStore",
      "/org/freedesktop/impl/portal/PermissionStore",
      "org.freedesktop.impl.portal.PermissionStore", "SetPermission",
      [
        .string("devices"), .boolean(true), .string("microphone"), .string(application),
        .strings([word]),
      ], timeout: 10)
  }

  /// Whether this machine has the store, and lets these tests make namespaces.
  static var isPossible: Bool {
    access("/usr/libexec/xdg-permission-store", X_OK) == 0
      && (try? runTool("unshare", ["--user", "--map-current-user", "--mount", "true"]))?.isSuccess
        == true
  }
}
