import CLinux
import Glibc
import Testing
import VoiceCore
import VoiceIO
import VoiceTestKit

@Suite("Control channel")
struct ControlChannelTests {
  let loop: EventLoop
  /// The other end, used by hand.
  let theirs: Int32
  let ours: Int32

  init() throws {
    loop = try EventLoop()
    (ours, theirs) = try ControlChannel.pair()
  }

  /// What one end heard.
  final class Heard {
    var messages: [ControlMessage] = []
    var closings = 0
  }

  private func channel(_ heard: Heard) throws -> ControlChannel {
    try ControlChannel(
      loop: loop, descriptor: ours, onMessage: { heard.messages.append($0) },
      onClose: { heard.closings += 1 })
  }

  private func sendRaw(_ bytes: [UInt8]) -> Bool {
    send(theirs, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count
  }

  @Test("messages go both ways, in order, and the last are heard before the end")
  func bothWays() throws {
    let heard = Heard()
    let one = try channel(heard)
    let other = Heard()
    let two = try ControlChannel(
      loop: loop, descriptor: theirs, onMessage: { other.messages.append($0) },
      onClose: { other.closings += 1 })
    let messages = (0..<5).map { ControlMessage("word", ["n": "\($0)", "text": "zwölf"]) }
    for message in messages { #expect(two.send(message)) }
    #expect(one.send(ControlMessage("stop")))
    #expect(loop.turn(within: 2) { other.messages == [ControlMessage("stop")] })
    two.close()
    two.close()
    #expect(loop.turn(within: 2) { heard.closings > 0 })
    #expect(heard.messages == messages && heard.closings == 1 && other.closings == 0)
    #expect(!one.isOpen && !one.send(ControlMessage("late")))
  }

  @Test("the last messages of a peer that ended with ours unread are heard")
  func unread() throws {
    let heard = Heard()
    let channel = try channel(heard)
    #expect(channel.send(ControlMessage("unread")))
    #expect(sendRaw(ControlMessage("ready").bytes))
    close(theirs)
    #expect(loop.turn(within: 2) { heard.closings == 1 })
    #expect(heard.messages == [ControlMessage("ready")])
  }

  @Test("what is no message, or too long, is dropped and the next one heard")
  func malformed() throws {
    let heard = Heard()
    let channel = try channel(heard)
    // The shortest buffer a longer packet than the limit fits in.
    var size: Int32 = 1 << 20
    setsockopt(theirs, SOL_SOCKET, SO_SNDBUF, &size, 4)
    let longest = ControlMessage("w", ["k": String(repeating: "x", count: 65_536 - 5)])
    #expect(longest.bytes.count == ControlMessage.limit)
    for bytes in [[1], [0], [0xFF, 0], Array("no key\0k\0".utf8), longest.bytes + [0]] {
      #expect(sendRaw(bytes))
    }
    #expect(sendRaw(longest.bytes))
    #expect(loop.turn(within: 2) { !heard.messages.isEmpty })
    #expect(heard.messages == [longest])
    #expect(!channel.send(ControlMessage("w", ["k": String(repeating: "x", count: 65_532)])))
    channel.close()
    close(theirs)
  }

  @Test("a peer that floods is heard 64 packets a round")
  func flood() throws {
    let heard = Heard()
    let channel = try channel(heard)
    clinux_set_nonblocking(theirs)
    var sent = 0
    while sent < 200, sendRaw(ControlMessage("flood").bytes) { sent += 1 }
    #expect(sent > 64)
    loop.turn(atMost: 1)
    #expect(heard.messages.count == 64)
    #expect(loop.turn(within: 2) { heard.messages.count == sent })
    channel.close()
    close(theirs)
  }

  @Test("sending to a peer that does not read is refused, not waited for")
  func full() throws {
    let heard = Heard()
    let channel = try channel(heard)
    let message = ControlMessage("fill", ["k": String(repeating: "x", count: 30_000)])
    let start = EventLoop.now
    var sent = 0
    while channel.send(message), sent < 1000 { sent += 1 }
    #expect(sent < 1000 && channel.isOpen)
    #expect(EventLoop.now - start < 1_000_000_000)
    close(theirs)
    #expect(!channel.send(message))
    #expect(loop.turn(within: 2) { heard.closings == 1 })
  }

  @Test("closing from inside a message's handler is the end of it")
  func closeInside() throws {
    var count = 0
    var channel: ControlChannel?
    channel = try ControlChannel(
      loop: loop, descriptor: ours,
      onMessage: { _ in
        count += 1
        channel?.close()
        channel = nil
      }, onClose: { Issue.record("our own close was told") })
    for _ in 0..<3 { #expect(sendRaw(ControlMessage("word").bytes)) }
    loop.turn(atMost: 1)
    loop.turn(atMost: 0)
    #expect(count == 1)
    close(theirs)
  }
}
