import Glibc
import Testing
import VoiceIO
import VoiceTestKit

@testable import VoiceDaemon

/// Who a caller is, by its folder in `/proc`: real processes, and folders made like theirs.
@Suite struct ProcessFolderTests {
  /// A folder like a process's, with such files.
  private func folder(_ files: [String: String]) throws -> (TemporaryFolder, ProcessFolder) {
    let proc = try TemporaryFolder()
    _ = try proc.folder("7")
    for (name, text) in ["stat": "7 (a b) S 1", "cgroup": "0::/user.slice\n"].merging(
      files, uniquingKeysWith: { $1 })
    {
      let parts = name.split(separator: "/")
      let place = parts.count > 1 ? try proc.folder("7/\(parts[0])") : try proc.folder("7")
      try TextFile.write("\(place)/\(parts.last ?? "")", text)
    }
    return (proc, ProcessFolder(pid: 7, in: proc.path))
  }

  /// Makes it impossible to open the file that tells a flatpak, for root too.
  private func hideRoot(_ process: ProcessFolder) {
    symlink("root", process.path + "/root")
  }

  @Test("this process is plain, and runs")
  func plain() throws {
    let process = ProcessFolder(pid: UInt32(getpid()))
    #expect(try process.sandbox() == nil)
    #expect(try process.isRunning())
    #expect(!process.program.isEmpty)
  }

  @Test(
    "a flatpak is told by its root folder, a snap by its control group",
    arguments: [
      (["root/.flatpak-info": "[Application]\nname=org.example.A\n"], "org.example.A"),
      (["root/.flatpak-info": "[Application]\n"], "flatpak"),
      (["cgroup": "0::/user.slice/snap.talker.app-1.scope\n"], "snap.talker"),
    ])
  func sandboxes(files: [String: String], application: String) throws {
    let (proc, process) = try folder(files)
    #expect(try process.sandbox() == application)
    withExtendedLifetime(proc) {}
  }

  @Test("a flatpak that hides its root folder is told by what is mounted there")
  func hidden() throws {
    let mounts = """
      29 1 0:2 / / rw - tmpfs tmpfs rw
      30 29 0:3 /x /.flatpak-info ro - tmpfs tmpfs rw

      """
    let (proc, process) = try folder(["mountinfo": mounts])
    hideRoot(process)
    #expect(try process.sandbox() == "")
    withExtendedLifetime(proc) {}
  }

  @Test("a plain program that hides its root folder, as compositors do, is plain")
  func hiddenPlain() throws {
    let mounts = """
      29 1 0:2 / / rw - ext4 /dev/x rw
      30 29 0:3 / /home/u/.flatpak-info ro - x x rw

      """
    let (proc, process) = try folder(["mountinfo": mounts])
    hideRoot(process)
    #expect(try process.sandbox() == nil)
    withExtendedLifetime(proc) {}
  }

  @Test("one of which nothing can be read is not taken for a plain program")
  func unreadable() throws {
    let (proc, process) = try folder([:])
    hideRoot(process)
    symlink("mountinfo", process.path + "/mountinfo")
    #expect(throws: IOError.self) { try process.sandbox() }
    withExtendedLifetime(proc) {}
  }

  @Test("one that has ended and was not collected is gone; one without its first thread hides")
  func ended() throws {
    let fields = " 1 7 7 0 -1 4194560 0 0 0 0 0 0 0 0 20 0 "
    let (proc, process) = try folder(["stat": "7 (a) Z b) Z" + fields + "1 0 5\n"])
    #expect(try !process.isRunning())
    let (others, headless) = try folder(["stat": "7 (x) Z" + fields + "3 0 5\n"])
    #expect(throws: IOError.self) { try headless.isRunning() }
    withExtendedLifetime((proc, others)) {}
    #expect(try !ProcessFolder(pid: 4_194_305).isRunning())
  }

  @Test("a real process that has ended and was not collected is gone")
  func zombie() throws {
    var pid: pid_t = 0
    let arguments: [UnsafeMutablePointer<CChar>?] = [strdup("true"), nil]
    defer { free(arguments[0]) }
    try #require(posix_spawn(&pid, "/bin/true", nil, nil, arguments, nil) == 0)
    // Ended, and left uncollected.
    var facts = siginfo_t()
    try #require(waitid(P_PID, id_t(pid), &facts, WEXITED | WNOWAIT) == 0)
    #expect(try !ProcessFolder(pid: UInt32(pid)).isRunning())
    waitpid(pid, nil, 0)
  }
}
