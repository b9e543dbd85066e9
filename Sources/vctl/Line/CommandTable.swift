import VoiceCore

/// Every command there is.
enum CommandTable {
  static let all = recorderCommands + meterCommands + dataCommands + serviceCommands

  /// The row of a command; every name has one, which a test proves.
  static func command(_ name: String) -> Command? { all.first { $0.name.rawValue == name } }

  /// Options that every command takes.
  static let common = [Option("help", short: "h", "show this help")]

  static let json = Option("json", "print one JSON object")
  static let wait = Option("wait", "wait for the recording and print where it is")
  static let output = Option(
    "output", short: "o", value: "FILE", "move the recording here; never over a file that exists")
  static let force = Option("force", short: "f", "replace FILE when it exists")
  static let start = Option(
    "start", value: "S", "begin at this second of what the source plays, such as a file")
  static let loop = Option("loop", "let the source begin again at its end")
  static let format = Option(
    "format", value: "F", choices: Format.allCases.map(\.rawValue),
    "the recording's format")
}

// Commands that drive the shared recorder.
extension CommandTable {
  private static let nothing: [ExitCode: String] = [
    .notDone: "nothing changed, because the recorder is in another phase"
  ]

  static let recorderCommands: [Command] = [
    Command(
      .status, options: [json], "show what the recorder is doing",
      text: [
        "Prints the phase, the take, the level, and the settings for the next take. Reads only: no"
          + " microphone opens and nothing changes."
      ], example: ("vctl status --json", "what a script reads")),
    Command(
      .start, options: [json], "begin a hands-free recording",
      text: [
        "Begins a take in the phase \"locked\" and prints its number. It runs until vctl send, vctl"
          + " cancel, or the maximum."
      ], exits: nothing, example: ("vctl start", "for a key that starts a dictation")),
    Command(
      .press, options: [json], "begin a held recording, for push-to-talk",
      text: [
        "Begins a take in the phase \"holding\" and prints its number. Bind it to a key's press and"
          + " vctl release to the key's release."
      ], exits: nothing,
      example: ("bindsym --no-repeat F9 exec vctl press", "in sway's configuration")),
    Command(
      .lock, options: [json], "let a held recording go on without the key",
      text: ["Turns the held take into a hands-free one and prints its number."],
      exits: nothing, example: ("vctl lock", "for a second key while the first is held")),
    Command(
      .release, options: [wait, json], "end a held recording and keep it",
      text: [
        "Ends the held take and prints its number. A take shorter than the minimum (0.6 s) is"
          + " discarded."
      ],
      exits: [.notDone: "no take was held, or with --wait it was discarded"],
      example: ("vctl release --wait", "prints the recording's path")),
    Command(
      .send, options: [wait, json], "end the recording and keep it",
      text: [
        "Ends a held, locked or stopped take and prints its number. With --wait the path of the"
          + " finished recording is printed instead, which takes a fraction of a second."
      ],
      exits: [.notDone: "there was nothing to send, or with --wait the take was discarded"],
      example: ("file=$(vctl send --wait)", "the recording as a path")),
    Command(
      .cancel, options: [json], "throw the recording away",
      text: ["Discards the take, deletes its sound at once and prints its number."],
      exits: nothing, example: ("vctl cancel", "for a key that means \"never mind\"")),
    Command(
      .toggle, options: [json], "begin when idle, else end and keep",
      text: ["At rest the same as vctl start, in any other phase the same as vctl send."],
      exits: nothing, example: ("bindsym F10 exec vctl toggle", "one key for both")),
    Command(
      .record,
      options: [
        output, force, format,
        Option("max", value: "S", "end after this many seconds of sound, exactly"),
        Option("auto-stop", value: "S", "end after this many seconds without speech"),
        Option("source", value: "ID", "record this source instead of the chosen one"),
        Option("target", value: "T", "point the source at this target"), start, loop, json,
      ], "record until Enter, Ctrl-C, silence or the limit",
      text: [
        "Records a take, with a meter on the terminal, and prints the path of the recording. Enter"
          + " or Ctrl-C ends it and keeps it; a second Ctrl-C leaves at once. Only a terminal is"
          + " read: standard input that is a file or a pipe is left alone.",
        "Without --format the format follows FILE's ending: .m4a is m4a, .ogg and .opus are opus,"
          + " .flac is flac, .wav is wav16k (16-bit, mono, 16 kHz, what speech engines want). With"
          + " neither, the daemon's own format is used and the recording stays in its folder until"
          + " it expires.",
      ],
      exits: [
        .notDone: "no recording: too short, cancelled, interrupted, or another one is running",
        .file: "FILE exists or cannot be written; the recording stays where the message says",
      ],
      example: ("vctl record --auto-stop 2 -o note.wav", "ends by itself 2 s after the last word")),
  ]
}

// Commands that show levels.
extension CommandTable {
  static let meterCommands: [Command] = [
    Command(
      .watch,
      options: [
        Option(
          "format", value: "F", choices: ["meter", "json", "waybar", "plain"],
          "meter on a terminal (the default there), or lines for bars and scripts"),
        Option("bars", value: "N", "level bars in a waybar or plain line, 0 to 64 (default 10)"),
        Option("ascii", "draw with ASCII characters only"),
      ], "show the recorder live: phase, clock, level",
      text: [
        "On a terminal: bars that scroll in from the right, the clock, the countdown of the last"
          + " ten seconds; q leaves. It never opens a microphone: at rest there is no level to show"
          + " (vctl monitor opens one).",
        "json, waybar and plain print one line a change, the present state first. When the daemon"
          + " goes, an \"offline\" line follows, and the present state again when it is back. They"
          + " end with status 0 on SIGTERM and when nobody reads them any more. waybar and plain"
          + " print at most 15 lines a second and are silent at rest; plain is an empty line then.",
      ], example: ("vctl watch --format waybar", "the exec of a waybar module")),
    Command(
      .monitor,
      operands: [
        Operand("SOURCE", .source, required: false), Operand("TARGET", .target, required: false),
      ],
      options: [
        start, loop, Option("rate", value: "N", "levels a second, 1 to 60 (default 30)"), json,
        Option("ascii", "draw with ASCII characters only"),
      ], "show a source's level without recording",
      text: [
        "Opens the source (the recorder's own one when none is named) for as long as it runs, and"
          + " shows the level: a meter on a terminal, else a line a change with the smoothed level"
          + " and the loudest reading since the line before, both 0 to 1. Nothing is recorded;"
          + " vctl status and the daemon's Listeners say that vctl is listening. q, Ctrl-C or"
          + " SIGTERM end it with status 0."
      ],
      exits: [.notDone: "the source ended, or access was switched off"],
      example: ("vctl monitor microphone", "does the microphone hear me?")),
  ]
}

// Commands about sources, takes and files.
extension CommandTable {
  static let dataCommands: [Command] = [
    Command(
      .sources,
      options: [
        Option("targets", value: "SOURCE", "list what SOURCE can be pointed at instead"), json,
      ], "list the sources, also those that were refused and why",
      text: [
        "One line a source: its id, its name, what it can do, and the plugin it comes from. The"
          + " chosen one carries a *. A plugin that was refused is listed with the reason.",
        "With --targets: one line a target; the default one carries a *, a muted one says so.",
      ], example: ("vctl sources --targets microphone", "the microphones there are")),
    Command(
      .use, operands: [Operand("SOURCE", .source), Operand("TARGET", .target, required: false)],
      "choose the source for the next takes",
      text: [
        "Sets the recorder's source and target. Without a target the source's own default is used:"
          + " for the microphone that is the default microphone, whichever it is at the time. The"
          + " target of file is a path, which counts from the working folder."
      ],
      example: ("vctl use microphone monitor:speakers", "record what the sink \"speakers\" plays")),
    Command(
      .takes, options: [json], "list the recordings that are kept",
      text: [
        "Newest first: number, state, length, what the sound was like, path. \"finished\" takes are"
          + " files for you to move; \"interrupted\" and \"recovered\" ones were cut off by a crash"
          + " or an interruption and become recordings with vctl recover."
      ], example: ("vctl takes --json", "with all that is known of each")),
    Command(
      .recover, operands: [Operand("TAKE", .take)], options: [output, force, format, json],
      "make a recording of an interrupted take",
      text: [
        "Encodes what was saved of the take, waits for it, and prints the path of the recording."
      ],
      exits: [.file: "FILE exists or cannot be written"],
      example: ("vctl recover 12 -o meeting.m4a", "after a crash or a power cut")),
    Command(
      .forget, operands: [Operand("TAKE", .take)], "delete a kept take",
      text: ["Deletes the take's sound and all that is known of it. This cannot be undone."],
      example: ("vctl forget 12", "frees its space now instead of when it expires")),
    Command(
      .waveform, operands: [Operand("FILE", .file)],
      options: [
        Option(
          "for", value: "WHAT", choices: ["raw", "matrix", "matrix256", "telegram", "whatsapp"],
          "the shape a chat service wants (default raw: at most 160 peaks, 0 to 1)"),
        Option("packed", "the bytes of telegram and whatsapp as one base64 word"),
      ], "print the waveform of any audio file",
      text: [
        "Reads the file itself, without the daemon, and prints one JSON array of its peaks. matrix"
          + " is whole numbers up to 1024, matrix256 up to 256; telegram is 63 bytes that hold 100"
          + " values of 5 bits, whatsapp is 64 values up to 100. Of a WAV file that is cut short"
          + " what there is is shown, and standard error says so."
      ],
      exits: [.file: "FILE is missing or holds no sound that can be decoded"],
      example: ("vctl waveform voice.ogg --for telegram --packed", "for a bot's message")),
  ]
}

// Commands about the daemon itself.
extension CommandTable {
  static let serviceCommands: [Command] = [
    Command(
      .access, operands: [Operand("on|off", .words(["on", "off"]), required: false)],
      options: [json], "switch the microphone off for every program, or on",
      text: [
        "off ends what is listening now and makes every take and monitor that would hear you fail,"
          + " until it is switched on again, also across restarts. Without a word it says which it"
          + " is."
      ], example: ("vctl access off", "before a confidential talk")),
    Command(
      .doctor, options: [json], "say what is wrong and how to mend it",
      text: [
        "Looks at the bus, the daemon, the audio server, the microphone, the plugins, the access"
          + " switch and the last recording, and says of each what it found. Nothing is changed and"
          + " no microphone opens."
      ],
      exits: [.done: "all is well", .notDone: "something is to be mended"],
      example: ("vctl doctor", "the first thing to run when there is no sound")),
    Command(
      .completions, operands: [Operand("SHELL", .words(["bash", "zsh", "fish"]))],
      "print the completions for a shell",
      text: ["Prints the script that completes vctl's command line. Packages install it."],
      example: ("source <(vctl completions bash)", "in ~/.bashrc")),
    Command(
      .help, operands: [Operand("COMMAND", .command, required: false)],
      "show this list, or the help of a command",
      text: ["The same as --help after the command."],
      example: ("vctl help record", "all about record")),
  ]
}
