import Testing
import VoiceIO
import VoiceTestKit

@testable import VoiceDaemon

/// Whether an owner of leases still reads: on a real bus, with a round of 0.1 s.
@Suite struct OwnerPulseTests {
  private let bus: PrivateBus
  private let server: BusClient
  private let owner: BusClient
  private let pulse: OwnerPulse

  init() throws {
    bus = try PrivateBus()
    server = try BusClient(bus.address)
    owner = try BusClient(bus.address)
    pulse = OwnerPulse(
      owner: owner.uniqueName, bus: server.bus, loop: server.loop, interval: 0.1)
  }

  @Test("an owner that answers stays awake, one that does not is asleep until it does")
  func answers() {
    // A round that a busy machine's bus keeps, too.
    let patient = OwnerPulse(
      owner: owner.uniqueName, bus: server.bus, loop: server.loop, interval: 1)
    patient.beat()
    #expect(
      !server.wait(1.5) {
        owner.listen(0.005)
        return !patient.isAwake
      })
    pulse.beat()
    #expect(server.wait(3) { !pulse.isAwake })
    // Asked once, not again and again: what waits for it is one ping.
    server.listen(0.3)
    #expect(
      server.wait(3) {
        owner.listen(0.005)
        return pulse.isAwake
      })
    // And it is asked anew with the next levels.
    pulse.beat()
    #expect(server.wait(3) { !pulse.isAwake })
  }

  @Test("without levels nobody is asked, and nothing wakes the loop")
  func rest() {
    server.listen(0.3)
    owner.received.removeAll()
    #expect(pulse.isAwake)
    let began = BusClient.now
    server.loop.turn(atMost: 0.25)
    #expect(BusClient.now - began > 0.2, "something was due")
  }

  @Test("an owner that has left does not read")
  func gone() throws {
    var gone: BusClient? = try BusClient(bus.address)
    let pulse = OwnerPulse(
      owner: try #require(gone?.uniqueName), bus: server.bus, loop: server.loop, interval: 0.05)
    gone = nil
    pulse.beat()
    // The bus's error is an answer: its leases end by their watch, not by this.
    server.listen(0.3)
    #expect(pulse.isAwake && gone == nil)
  }
}
