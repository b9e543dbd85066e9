import Glibc
import Testing
import VoiceIO
import VoiceTestKit

/// The disk under a running take fails it.
@Suite("The disk", .lane)
struct DiskTests {
  enum Fault: String, CaseIterable { case full, quota, readOnly }

  // The thread sanitizer's own memory is a file, as the ring's is.
  @Test(
    "a limit on files that is below the ring's size: takes fail by name, the daemon lives",
    .enabled(if: !isSanitized))
  func tinyFiles() throws {
    let rig = try Rig(.none)
    let stage = try Stage(
      rig, configuration: ["source = speech"], wrapper: ["prlimit", "--fsize=400000"])
    let end = try stage.client.ending(stage.client.verb("Start"))
    #expect(end.ending == "interrupted" && end.error == "SourceFailed", "\(end.arguments)")
    #expect(try stage.phase == "idle" && stage.daemon.process.isRunning)
  }

  @Test(
    "ends the take by name; what fits is a valid file, no half of one looks finished, and all else lives",
    arguments: Fault.allCases.filter(Disk.canBe))
  func fails(_ fault: Fault) throws {
    let rig = try Rig(.none)
    let disk = try Disk(fault, rig.desktop.folder, mountedAt: rig.desktop.state)
    let stage = try Stage(rig, configuration: ["source = speech"], wrapper: disk.wrapper)
    let lease = try stage.client.openMonitor(["source": .string("speech")])
    let earlier = fault == .readOnly ? try stage.record(0.7).take : 0
    let take = try stage.begin()
    stage.client.listen(1)
    let folder = "/proc/\(stage.daemon.pid)/root" + rig.desktop.state + "/voiced/"
    if fault == .readOnly {
      let hasSound = stage.client.wait(5) {
        soundFiles(in: folder + "spool").contains { ((try? WaveFile($0).seconds) ?? 0) > 0.5 }
      }
      #expect(hasSound)
      try disk.makeReadOnly(stage.daemon)
    }

    let error = fault == .readOnly ? "FolderUnusable" : "DiskFull"
    let end = try stage.client.ending(take, within: 8)
    #expect(end.ending == "interrupted" && end.error == error, "\(end.arguments)")
    #expect(stage.hears(lease))
    #expect(
      stage.client.wait(3) { stage.daemon.children.allSatisfy { $0.isSource } },
      "the take's process is left over")
    let sound = soundFiles(in: folder + "spool") + soundFiles(in: folder + "recovery")
    #expect(sound.count == 1)
    #expect(try WaveFile(#require(sound.first)).seconds > 0.5)
    #expect(
      soundFiles(in: folder + "recordings").allSatisfy {
        $0.hasSuffix(".part") || $0.contains("/take-\(earlier).")
      })
    if fault == .readOnly {
      // What cannot be deleted is not said to be.
      let refusal = stage.client.error { try $0.manager("ForgetTake", [.uint32(earlier)]) }
      #expect(refusal == "FolderUnusable")
      let listed = try stage.client.manager("GetTakes").first?.items?.compactMap(\.entries) ?? []
      #expect(listed.contains { $0["take"] == .uint32(earlier) })
    }

    let said = stage.daemon.log
    if fault != .quota {
      let next = try stage.client.verb("Press")
      let end = try stage.client.ending(next)
      #expect(end.ending == "interrupted" && end.error == error, "\(end.arguments)")
    }
    stage.client.listen(1)
    // A line or two for each failure, and no more of them without end.
    #expect(stage.daemon.log.utf8.count - said.utf8.count < 600, "\(stage.daemon.log)")
    #expect(stage.endings(of: take).count == 1)
    #expect(stage.hears(lease))
    #expect(stage.daemon.stop() == .exited(0))
  }
}

/// A small disk of a daemon's own for its state folder, in a mount namespace that ends with it.
private struct Disk {
  /// Words before the daemon's own.
  let wrapper: [String]
  private let state: String

  /// Whether this machine lets a test have such a disk.
  static func canBe(_ fault: DiskTests.Fault) -> Bool {
    guard let folder = try? TemporaryFolder(), let state = try? folder.folder("s"),
      let words = try? Disk(fault, folder, mountedAt: state).wrapper
    else { return false }
    return (try? runTool(words[0], words.dropFirst() + ["/bin/true"]))?.isSuccess == true
  }

  init(_ fault: DiskTests.Fault, _ folder: TemporaryFolder, mountedAt state: String) throws {
    self.state = state
    switch fault {
    case .quota: wrapper = [try Quota.program(folder, bytes: 400_000)]
    case .full:
      wrapper = [
        "unshare", "--user", "--map-current-user", "--keep-caps", "--mount", "/bin/sh", "-c",
        "mount -t tmpfs -o size=512k disk '\(state)' && exec \"$0\"",
      ]
    case .readOnly:
      // Only a real file system can become read-only while files of it are open for writing.
      let image = folder.path + "/image"
      let script = """
        truncate -s 8M '\(image)' && mkfs.ext4 -q '\(image)' && mount -o loop '\(image)' '\(state)' &&
        exec "$0"
        """
      wrapper = ["unshare", "--mount", "/bin/sh", "-c", script]
    }
  }

  /// Does what the kernel does when it finds the file system damaged.
  func makeReadOnly(_ daemon: DaemonUnderTest) throws {
    let result = try runTool(
      "nsenter", ["--target", "\(daemon.pid)", "--mount", "mount", "-o", "remount,abort", state])
    guard result.isSuccess else { throw RigFailure("still writable: \(result.errorText)") }
  }
}
