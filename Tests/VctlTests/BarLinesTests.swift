import Testing
import VoiceCore

@testable import vctl

@Suite("Lines for bars and scripts")
struct BarLinesTests {
  private func recording(_ change: (inout RecorderState) -> Void = { _ in }) -> RecorderState {
    var state = RecorderState(isOnline: true, phase: "locked", take: 3, level: 0.417)
    state.source = "microphone"
    change(&state)
    return state
  }

  private func text(_ state: RecorderState, elapsed: Double = 7, bars: [Double] = [0.5]) -> String {
    BarLines.text(state, elapsed: elapsed, bars: bars, cells: 10, glyphs: .blocks)
  }

  @Test("a bar keeps its width below an hour, with and without a countdown")
  func width() {
    var seen: Set<Int> = []
    for elapsed in [0, 59, 60, 600, 3599] {
      for remaining in [nil, 10, 1] {
        for count in [0, 3, 50] {
          let state = recording { $0.remaining = remaining }
          let bars = [Double](repeating: 1, count: count)
          seen.insert(text(state, elapsed: Double(elapsed), bars: bars).cells)
        }
      }
    }
    #expect(seen == [16])
  }

  @Test("silence is told until there is sound, a lost source until it is back")
  func notices() {
    var state = recording()
    state.apply(.notice("silent"))
    state.apply(.level(0, elapsed: 3))
    #expect(state.notice == "silent")
    state.apply(.level(0.2, elapsed: 4))
    #expect(state.notice == nil)
    state.apply(.notice("source-lost"))
    state.apply(.level(0.1, elapsed: 5))
    #expect(state.notice == "source-lost")
    state.apply(.notice("source-back"))
    #expect(state.notice == nil)
  }

  @Test("at rest and without the daemon the text is empty")
  func rest() {
    #expect(text(recording { $0.phase = "idle" }).isEmpty)
    #expect(text(RecorderState()).isEmpty)
    #expect(BarLines.waybar(RecorderState(), text: "").text.contains(#""class":"offline""#))
  }

  @Test("a waybar line is markup-safe JSON with an unsigned percentage")
  func waybar() {
    let state = recording { $0.linked = "Tom & \"J\" <mic> \u{7}\u{FFFD}" }
    let line = BarLines.waybar(state, text: text(state)).text
    #expect(line.contains(#""percentage":42}"#))
    #expect(line.contains("Tom &amp; &quot;J&quot; &lt;mic&gt;"))
    #expect(line.contains(#""class":"locked""#) && !line.contains("\u{7}"))
    let ending = BarLines.waybar(recording { $0.remaining = 5 }, text: "")
    #expect(ending.text.contains(#""class":["locked","ending"]"#))
  }

  @Test("events are one JSON line each")
  func json() {
    let lines: [(RecorderEvent, String)] = [
      (.offline, #"{"type":"offline"}"#),
      (.level(0.41666, elapsed: 1.5), #"{"type":"level","level":0.417,"elapsed":1.500}"#),
      (.phase("holding", take: 4), #"{"type":"phase","phase":"holding","take":4}"#),
      (.phase("dancing", take: 4), #"{"type":"phase","phase":"idle","take":4}"#),
      (.elapsed(291, remaining: 9), #"{"type":"elapsed","elapsed":291,"remaining":9}"#),
      (.elapsed(2, remaining: nil), #"{"type":"elapsed","elapsed":2,"remaining":null}"#),
      (
        .ended(.init(take: 2, ending: "too-short")),
        #"{"type":"discarded","take":2,"ending":"too-short"}"#
      ),
      (
        .ended(
          .init(
            take: 2, ending: "sent", uri: "file:///a", duration: 1.25, waveform: [0, 0.5],
            verdict: "ok")),
        #"{"type":"finished","take":2,"ending":"sent","uri":"file:///a","duration":1.250,"#
          + #""verdict":"ok","waveform":[0.000,0.500]}"#
      ),
    ]
    for (event, line) in lines { #expect(JsonLines.line(event).text == line) }
    let snapshot = JsonLines.line(.snapshot(recording())).text
    #expect(snapshot.hasPrefix(#"{"type":"snapshot","phase":"locked","take":3,"level":0.417,"#))
  }

  @Test("a new take starts from nothing, and an unknown phase is idle")
  func state() {
    var state = recording { $0.elapsed = 12 }
    state.apply(.phase("idle", take: 3))
    #expect(state.level == 0 && state.elapsed == 12)
    state.apply(.ended(.init(take: 3, ending: "sent", uri: "file:///a")))
    #expect(state.last?.take == 3)
    state.apply(.phase("holding", take: 4))
    #expect(state.elapsed == 0 && state.last == nil)
    state.apply(.phase("locked", take: 4))
    state.apply(.level(.nan, elapsed: 2))
    #expect(state.level == 0 && state.elapsed == 2)
    state.apply(.phase("levitating", take: 4))
    #expect(state.phase == "idle")
  }
}
