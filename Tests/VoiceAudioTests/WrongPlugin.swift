import Glibc
import Testing
import VoiceIO

/// `misbehaving.c` built with some macros, in a folder of its own that is removed at the end.
final class WrongPlugin {
  let path: String
  private let folder: String

  init(_ macros: String...) throws {
    var template = Array("/tmp/voiced-test-XXXXXX".utf8CString)
    let made = try #require(mkdtemp(&template))
    folder = String(cString: made)
    path = folder + "/libwrong.so"
    let here = #filePath.split(separator: "/").dropLast().map { "/" + $0 }.joined()
    let names: [String] = ["/usr/bin/cc", "/usr/bin/gcc", "/usr/bin/clang"]
    let compiler = names.first { access($0, X_OK) == 0 }
    let arguments =
      ["-shared", "-fPIC", "-O1", "-fvisibility=hidden", "-I\(here)/../../Sources/CVoiced/include"]
      + macros.map { "-D" + $0 } + [here + "/misbehaving.c", "-o", path, "-lm", "-lpthread"]
    let pid = try ChildCommand(path: try #require(compiler), arguments: arguments).spawn()
    var status: Int32 = 0
    waitpid(pid, &status, 0)
    try #require(status == 0)
  }

  deinit {
    unlink(path)
    rmdir(folder)
  }
}
