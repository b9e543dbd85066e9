import Testing
import VoiceIO
import VoiceTestKit

@Suite("Bus")
struct BusTests {
  @Test("a call is answered and the answer comes back")
  func call() throws {
    let daemon = try PrivateBus()
    let loop = try EventLoop()
    let server = try Bus(loop: loop, address: .other(daemon.address))
    let client = try Bus(loop: loop, address: .other(daemon.address))
    try server.requestName("org.voiced.Test")
    server.onCall = { call in call.reply([.string(call.member)] + call.arguments) }
    var answer: Result<[BusValue], BusFailure>?
    client.call(
      destination: "org.voiced.Test", path: "/x", interface: "a.b", member: "Echo",
      [.dictionary(["k": .doubles([1, 2])]), .boolean(true)]
    ) {
      answer = $0
      loop.stop(0)
    }
    #expect(loop.run() == 0)
    #expect(
      try answer?.get() == [
        .string("Echo"), .dictionary(["k": .doubles([1, 2])]), .boolean(true),
      ])
  }
}
