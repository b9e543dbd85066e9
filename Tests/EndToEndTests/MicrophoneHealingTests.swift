import Glibc
import Testing
import VoiceAudio
import VoiceCore
import VoiceIO
import VoiceTestKit

/// The microphone plugin through everything that goes away and comes back.
@Suite("Microphone healing")
struct MicrophoneHealingTests {
  private let tone = Sound.sine(1, amplitude: 0.5, hertz: 400)
  private let other = Sound.sine(1, amplitude: 0.5, hertz: 900)

  @Test("unplug and replug, again and again: lost is told, nothing stands in, the sound is back")
  func replug() throws {
    let rig = try Rig()
    _ = try rig.microphone("other", other)
    let mine = try rig.microphone("mine", tone)
    let run = try MicrophoneRun(rig.desktop, target: "mine")
    #expect(run.isLinked(to: "mine"))
    for _ in 0..<10 {
      try mine.unplug()
      #expect(run.isLinked(to: "", within: 1))
      // A quick machine would plug it in again within what counts as a scheduling delay.
      _ = run.wait(0.1) { false }
      try mine.plug()
      #expect(run.isLinked(to: "mine") && run.hears(0.3))
      #expect(run.tone(900) < 0.01 && run.tone(400) > 0.4)
    }
    #expect(run.lost() > 0)
  }

  @Test("the session manager's crash and restart cost no sound")
  func sessionManager() throws {
    let rig = try Rig()
    _ = try rig.microphone("mine", tone)
    let run = try MicrophoneRun(rig.desktop, target: "")
    #expect(run.isLinked(to: "mine") && run.hears(0.2))
    try rig.audio.wireplumber?.end(SIGKILL)
    #expect(run.hears(0.5))
    let again = try RigProcess(
      ChildCommand(path: "wireplumber", environment: rig.desktop.environment),
      log: rig.desktop.log("wireplumber"))
    #expect(
      try waitUntil(5) { try rig.audio.tool("pw-cli", "ls", "Client").text.contains("export") })
    #expect(run.hears(0.5) && run.links == ["mine"])
    // A busy machine's audio server may skip some quanta of its own; a stream made anew costs more.
    let lost = run.lost()
    #expect(lost < 250_000_000, "\(lost) ns")
    _ = try rig.microphone("next", other)
    try rig.audio.setDefaultSource("next")
    #expect(run.isLinked(to: "next"))
    again.end()
  }

  @Test("without a session manager a source whose ports are there is captured all the same")
  func alone() throws {
    let rig = try Rig()
    _ = try rig.microphone("mine", tone)
    try rig.audio.wireplumber?.end(SIGKILL)
    let run = try MicrophoneRun(rig.desktop, target: "mine")
    #expect(run.isLinked(to: "mine") && run.hears(0.4) && run.tone(400) > 0.4)
  }

  @Test("the server's crash is told, and after its restart the sound is back")
  func serverRestart() throws {
    let rig = try Rig()
    let mine = try rig.microphone("mine", tone)
    let run = try MicrophoneRun(rig.desktop, target: "mine")
    #expect(run.isLinked(to: "mine") && run.hears(0.2))
    for _ in 0..<3 {
      try rig.audio.pipewire?.end(SIGKILL)
      try rig.audio.end()
      #expect(run.isLinked(to: "", within: 1))
      try mine.unplug()
      unlink(rig.desktop.runtime + "/pipewire-0")
      unlink(rig.desktop.runtime + "/pipewire-0.lock")
      try rig.audio.start()
      try mine.plug()
      #expect(run.isLinked(to: "mine") && run.hears(0.4) && run.tone(400) > 0.4)
    }
    #expect(run.process.isRunning)
  }

  @Test("started before the server, it costs nothing and hears once there is one")
  func beforeTheServer() throws {
    let rig = try Rig()
    try rig.audio.end()
    unlink(rig.desktop.runtime + "/pipewire-0")
    let run = try MicrophoneRun(rig.desktop, target: "")
    #expect(run.isLinked(to: ""))
    let before = ProcessFacts(run.process.pid).processorTime
    #expect(!run.wait(1) { false })
    #expect(ProcessFacts(run.process.pid).processorTime - before < 20_000_000)
    try rig.audio.start()
    _ = try rig.microphone("mine", tone)
    #expect(run.isLinked(to: "mine") && run.hears(0.3))
  }

  @Test("a stalled server: its time is lost and no more, and nothing waits for it")
  func stall() throws {
    let rig = try Rig()
    _ = try rig.microphone("mine", tone)
    let run = try MicrophoneRun(rig.desktop, target: "mine")
    #expect(run.isLinked(to: "mine") && run.hears(0.2))
    let stalled = EventLoop.now
    try rig.audio.stall()
    #expect(!run.wait(1) { false })
    try rig.audio.resume()
    let stood = Double(EventLoop.now - stalled) / 1e9
    #expect(run.hears(0.3))
    let lost = Double(run.lost()) / 1e9
    #expect(lost > 0.8 && lost < stood + 0.5, "\(lost) of \(stood) s")
    try rig.audio.stall()
    run.send(.stop)
    // A clean end: what is not over within its second ends with another status.
    #expect(run.process.wait(3) == .exited(0))
    try rig.audio.resume()
  }
}
