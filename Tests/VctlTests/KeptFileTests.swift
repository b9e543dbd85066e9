import Testing

@testable import vctl

@Suite("Files that are made by vctl")
struct KeptFileTests {
  @Test("the completions are those of the command table", arguments: ["bash", "zsh", "fish"])
  func completions(shell: String) throws {
    let name = ["bash": "vctl.bash", "zsh": "_vctl", "fish": "vctl.fish"][shell] ?? ""
    let script = try #require(Completions.script(for: shell))
    for command in CommandTable.all {
      #expect(script.contains(command.name.rawValue))
      for option in command.options { #expect(script.contains(option.name), "\(option.name)") }
    }
    try KeptFile.expect("docs/completions/" + name, toBe: script)
  }

  @Test("the README's picture is what the meter draws of the source speech")
  func picture() throws {
    var track = BarTrack(period: WatchMeter.period, capacity: 1200)
    for (second, level) in SpeechLevels.told { track.note(level, at: second) }
    var state = RecorderState(isOnline: true, phase: "locked", take: 1)
    state.source = "microphone"
    state.linked = "Headset Mono"
    var scene = Scene(state, elapsed: 128.4, bars: track.bars, glyphs: .blocks)
    scene.keys = "q leaves"
    let screen = MeterView(glyphs: .blocks).draw(scene, columns: 84, rows: 16)
    try KeptFile.expect("docs/meter.svg", toBe: Svg.picture(of: screen, title: "vctl watch"))
  }

  @Test("the man page knows every command, option and status")
  func manual() throws {
    let page = try #require(KeptFile.text("docs/man/vctl.1"))
    for command in CommandTable.all {
      #expect(page.contains("\n.SS \(command.name.rawValue)"), "\(command.name)")
      for option in command.options {
        let dashes = option.name.split(separator: "-").joined(separator: "\\-")
        #expect(page.contains("\\-\\-" + dashes), "\(command.name) --\(option.name)")
      }
    }
    for code in ExitCode.allCases { #expect(page.contains("\n.B \(code.rawValue)\n")) }
  }
}
