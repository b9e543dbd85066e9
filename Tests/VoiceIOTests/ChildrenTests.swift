import Glibc
import Testing
import VoiceCore
import VoiceIO

@Suite("Children")
struct ChildrenTests {
  @Test("a child's status is told")
  func status() throws {
    let loop = try EventLoop()
    let children = try Children(loop: loop, adoptsStrays: false)
    var told: VoiceIO.ExitStatus?
    _ = try children.spawn(ChildCommand(path: "sh", arguments: ["-c", "exit 3"])) {
      told = $0
      loop.stop(0)
    }
    #expect(loop.run() == 0)
    #expect(told == .exited(3))
  }

  @Test("a control message goes both ways")
  func control() throws {
    let loop = try EventLoop()
    let ends = try ControlChannel.pair()
    var heard: [ControlMessage] = []
    var isClosed = false
    let ours = try ControlChannel(
      loop: loop, descriptor: ends.ours, onMessage: { heard.append($0) },
      onClose: {
        isClosed = true; loop.stop(0)
      })
    let theirs = try ControlChannel(
      loop: loop, descriptor: ends.theirs, onMessage: { _ in }, onClose: {})
    #expect(theirs.send(ControlMessage("ended", ["errno": "0"])))
    theirs.close()
    #expect(loop.run() == 0)
    #expect(heard == [ControlMessage("ended", ["errno": "0"])] && isClosed)
    #expect(!ours.isOpen)
  }
}
