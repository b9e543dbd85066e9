import Glibc
import Testing
import VoiceAudio
import VoiceCore
import VoiceIO

@Suite("A source process")
struct SourceProcessTests {
  @Test("runs the speech plugin: format, sound at the pace of time, and a clean stop")
  func speech() throws {
    let rig = try SourceRig(plugin: SourceRig.plugin("speech"), id: "speech")
    let begin = EventLoop.now
    rig.send(.start(target: "", options: ""))
    #expect(rig.wait { rig.reports.contains(.format(rate: 48_000, channels: 1)) })
    #expect(rig.wait { rig.wakeUps > 0 })
    #expect(rig.ring.written >= 1600)
    #expect(rig.wait { rig.ring.written >= 48_000 })
    let seconds = Double(EventLoop.now - begin) / 1e9
    #expect(seconds > 0.99)
    let anchor = try #require(rig.ring.anchor)
    #expect(anchor.time > begin && anchor.time < EventLoop.now)
    #expect(rig.ring.lost == 0)
    let frames = try #require(rig.ring.frames(from: 0))
    #expect(frames.contains { abs($0) > 0.2 })
    #expect(frames.allSatisfy { abs($0) <= 1 })
    let reading = try #require(rig.ring.drainReading())
    #expect(reading.power > 1e-3 && reading.peak > 0.2 && reading.frames >= 48_000)
    rig.send(.stop)
    #expect(rig.end() == .exited(0))
    #expect(rig.logged == [])
  }
}
