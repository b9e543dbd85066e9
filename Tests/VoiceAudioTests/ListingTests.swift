import CLinux
import Glibc
import Testing
import VoiceCore
import VoiceIO

@Suite("Asking a plugin what it offers")
struct ListingTests {
  /// The messages of `voiced-source` with these arguments, and how it ended.
  private func ask(_ arguments: String...) throws -> ([ControlMessage], VoiceIO.ExitStatus) {
    let loop = try EventLoop()
    let (ours, theirs) = try ControlChannel.pair()
    var messages: [ControlMessage] = []
    var isOver = false
    let control = try ControlChannel(
      loop: loop, descriptor: ours, onMessage: { messages.append($0) }, onClose: { isOver = true })
    let pid = try ChildCommand(
      path: "\(SourceRig.products)/voiced-source", arguments: arguments, descriptors: [(theirs, 3)]
    ).spawn()
    close(theirs)
    let end = EventLoop.now + 5_000_000_000
    while !isOver, EventLoop.now < end { loop.turn(atMost: 0.1) }
    #expect(isOver)
    control.close()
    if !isOver { kill(pid, SIGKILL) }
    var status: Int32 = 0
    waitpid(pid, &status, 0)
    return (messages, VoiceIO.ExitStatus(waitStatus: status))
  }

  @Test("the speech plugin describes itself and lists its voices")
  func speech() throws {
    let (description, status) = try ask("--describe", SourceRig.plugin("speech"))
    #expect(status == .exited(0))
    #expect(description.map(\.word) == ["library", "source"])
    #expect(description.first?["abi"] == "1")
    #expect(description.last?["id"] == "speech")
    #expect(description.last?["flags"] == "host-clock")
    let (targets, _) = try ask("--targets", SourceRig.plugin("speech"), "speech")
    #expect(targets.map { $0["target"] } == ["0", "1"])
    #expect(targets.map { $0["default"] } == ["1", "0"])
  }

  @Test("a list that is known later is waited for, with the plugin's descriptors served")
  func later() throws {
    let plugin = try WrongPlugin()
    let begin = EventLoop.now
    let (targets, status) = try ask("--targets", plugin.path, "wrong")
    #expect(status == .exited(0))
    #expect(targets.map { $0["name"] } == ["One \\xff", "Two"])
    #expect(targets.map { $0["muted"] } == ["0", "1"])
    #expect(EventLoop.now - begin < 700_000_000)
  }

  @Test("a list that does not come within 0.8 s is a failure, not an empty list")
  func never() throws {
    let plugin = try WrongPlugin("NEVER_KNOWS")
    let begin = EventLoop.now
    let (targets, status) = try ask("--targets", plugin.path, "wrong")
    #expect(targets.map(\.word) == ["failed"])
    #expect(targets.first?["errno"] == "-11")
    #expect(status == .exited(69))
    #expect((700_000_000...2_500_000_000).contains(EventLoop.now - begin))
  }

  @Test("what cannot be used is told with a reason")
  func refused() throws {
    let foreign = try WrongPlugin("ABI=99")
    let (abi, status) = try ask("--describe", foreign.path)
    #expect(abi.first == ControlMessage("library", ["abi": "99"]))
    #expect(abi.last?["text"]?.contains("ABI 99") == true)
    #expect(status == .exited(EX_UNAVAILABLE))
    let (library, _) = try ask("--describe", "/bin/true")
    #expect(library.last?.word == "failed")
    let (missing, _) = try ask("--targets", SourceRig.plugin("speech"), "nothing")
    #expect(missing.last?["text"] == "The plugin has no source named nothing.")
  }
}
