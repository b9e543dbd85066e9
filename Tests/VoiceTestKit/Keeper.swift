import CLinux
import Glibc
import VoiceIO

/// A small process that cleans up after a test process that crashed or was killed.
///
/// It hears of every process group and folder that tests make. When the pipe to it closes it kills
/// the groups and removes the folders that were not reported gone.
final class Keeper: Sendable {
  static let shared = Keeper()

  private static let script = """
    exec >/dev/null 2>&1
    groups= folders=
    without() { rest=; for item in $2; do [ "$item" = "$1" ] || rest="$rest $item"; done; }
    while read -r word item; do
      case $word in
        group) groups="$groups $item" ;;
        ended) without "$item" "$groups"; groups=$rest ;;
        folder) folders="$folders $item" ;;
        removed) without "$item" "$folders"; folders=$rest ;;
      esac
    done
    for item in $groups; do kill -s KILL -- "-$item"; done
    for item in $folders; do rm -rf -- "$item"; done
    """

  /// The pipe's end to write to; -1 when the keeper could not be started.
  private let pipe: Int32

  private init() {
    var ends: [Int32] = [-1, -1]
    guard clinux_pipe2(&ends, O_CLOEXEC) == 0 else {
      pipe = -1
      return
    }
    let command = ChildCommand(
      path: "/bin/sh", arguments: ["-c", Self.script], descriptors: [(parent: ends[0], child: 0)])
    let isStarted = (try? command.spawn()) != nil
    close(ends[0])
    pipe = isStarted ? ends[1] : -1
  }

  /// One short line, which a pipe takes whole from any thread.
  func tell(_ word: String, _ item: String) {
    let line = Array("\(word) \(item)\n".utf8)
    if pipe >= 0 { write(pipe, line, line.count) }
  }
}
