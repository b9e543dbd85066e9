/// Completion scripts for shells, made from the command table.
enum Completions {
  /// The script for `bash`, `zsh` or `fish`; `nil` for another shell.
  static func script(for shell: String) -> String? {
    switch shell {
    case "bash": bash
    case "zsh": zsh
    case "fish": fish
    default: nil
    }
  }

  private static let names = CommandTable.all.map(\.name.rawValue)

  private static func words(of option: Option) -> [String] {
    ["--" + option.name] + (option.short.map { ["-\($0)"] } ?? [])
  }

  private static func options(of command: Command) -> [Option] {
    command.options + CommandTable.common
  }

  /// What stands for a value: words to offer, or the kind of thing to ask vctl or the disk for.
  private static func kind(of option: Option) -> Operand.Kind {
    if !option.choices.isEmpty { return .words(option.choices) }
    return switch option.name {
    case "output": .file
    case "source", "targets": .source
    default: .words([])
    }
  }
}

// bash
extension Completions {
  private static func bashReply(_ kind: Operand.Kind) -> String {
    switch kind {
    case .words(let words): "words=\"\(words.joined(separator: " "))\""
    case .command: "words=\"\(names.joined(separator: " "))\""
    case .source: "words=$(_vctl_ids sources '\"id\"')"
    case .take: "words=$(_vctl_ids takes '\"take\"')"
    case .target: "words=$(_vctl_ids \"sources --targets ${COMP_WORDS[2]}\" '\"target\"')"
    case .file: "COMPREPLY=($(compgen -f -- \"$cur\")); compopt -o filenames; return"
    }
  }

  private static var bash: String {
    var out = """
      # bash completion for vctl; made by "vctl completions bash".
      _vctl_ids() {
        vctl $1 --json 2>/dev/null | grep -o "$2:[^,}]*" | cut -d: -f2- | tr -d '"'
      }
      _vctl() {
        local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} words=
        COMPREPLY=()
        if ((COMP_CWORD == 1)); then
          COMPREPLY=($(compgen -W "\(names.joined(separator: " ")) --help --version" -- "$cur"))
          return
        fi
        case ${COMP_WORDS[1]} in

      """
    for command in CommandTable.all {
      out += "    \(command.name.rawValue))\n      case $prev in\n"
      for option in options(of: command) where option.value != nil {
        let pattern = words(of: option).joined(separator: "|")
        out += "        \(pattern)) \(bashReply(kind(of: option))) ;;\n"
      }
      let flags = options(of: command).flatMap(words(of:)).joined(separator: " ")
      out += "        *)\n          if [[ $cur == -* ]]; then words=\"\(flags)\"\n"
      for (index, operand) in command.operands.enumerated() {
        out += "          elif ((COMP_CWORD == \(index + 2))); then \(bashReply(operand.kind))\n"
      }
      out += "          fi ;;\n      esac ;;\n"
    }
    out += """
        esac
        COMPREPLY=($(compgen -W "$words" -- "$cur"))
      }
      complete -F _vctl vctl

      """
    return out
  }
}

// zsh
extension Completions {
  private static func zshAction(_ kind: Operand.Kind) -> String {
    switch kind {
    case .words(let words): words.isEmpty ? " " : "(\(words.joined(separator: " ")))"
    case .command: "(\(names.joined(separator: " ")))"
    case .source: "_vctl_sources"
    case .target: "_vctl_targets"
    case .take: "_vctl_takes"
    case .file: "_files"
    }
  }

  /// Quoted for a single-quoted argument of `_arguments`.
  private static func zshText(_ text: String) -> String {
    var out = ""
    for character in text {
      switch character {
      case "'": out += "'\\''"
      case "[", "]", ":": out += "\\\(character)"
      default: out.append(character)
      }
    }
    return out
  }

  private static func zshOption(_ option: Option) -> String {
    let value = option.value.map { ":\($0):\(zshAction(kind(of: option)))" } ?? ""
    let text = "[\(zshText(option.summary))]\(value)"
    guard let short = option.short else { return "'--\(option.name)\(text)'" }
    return "'(-\(short) --\(option.name))'{-\(short),--\(option.name)}'\(text)'"
  }

  private static var zsh: String {
    var out = """
      #compdef vctl
      # zsh completion for vctl; made by "vctl completions zsh".
      _vctl_ids() {
        local -a ids
        ids=(${(f)"$(vctl ${=1} --json 2>/dev/null | grep -o "$2:[^,}]*" | cut -d: -f2- | tr -d '"')"})
        compadd -a ids
      }
      _vctl_sources() { _vctl_ids sources '"id"' }
      _vctl_takes() { _vctl_ids takes '"take"' }
      _vctl_targets() { _vctl_ids "sources --targets ${words[2]}" '"target"' }
      _vctl() {
        local -a commands
        commands=(

      """
    for command in CommandTable.all {
      out += "    '\(command.name.rawValue):\(zshText(command.summary))'\n"
    }
    out += """
        )
        if ((CURRENT == 2)); then
          _describe command commands
          return
        fi
        shift words
        ((CURRENT--))
        case $words[1] in

      """
    for command in CommandTable.all {
      var parts = options(of: command).map(zshOption)
      for operand in command.operands {
        let name = operand.name.lowercased()
        parts.append("'\(operand.isRequired ? ":" : "::")\(name):\(zshAction(operand.kind))'")
      }
      out +=
        "    \(command.name.rawValue)) _arguments \(parts.joined(separator: " \\\n        ")) ;;\n"
    }
    out += """
        esac
      }
      _vctl "$@"

      """
    return out
  }
}

// fish
extension Completions {
  private static func fishAction(_ kind: Operand.Kind) -> String {
    switch kind {
    case .words(let words): words.isEmpty ? "" : " -a '\(words.joined(separator: " "))'"
    case .command: " -a '\(names.joined(separator: " "))'"
    case .source: " -a '(__vctl_ids sources \\'\"id\"\\')'"
    case .target: " -a '(__vctl_targets)'"
    case .take: " -a '(__vctl_ids takes \\'\"take\"\\')'"
    case .file: " -F"
    }
  }

  private static func fishText(_ text: String) -> String {
    var out = "'"
    for character in text {
      if character == "'" || character == "\\" { out.append("\\") }
      out.append(character)
    }
    return out + "'"
  }

  private static var fish: String {
    var out = """
      # fish completion for vctl; made by "vctl completions fish".
      function __vctl_ids
        vctl $argv[1] --json 2>/dev/null | string match -ar -g "$argv[2]:\\"?([^,}\\"]*)"
      end
      function __vctl_targets
        set -l words (commandline -opc)
        vctl sources --targets $words[3] --json 2>/dev/null | string match -ar -g '"target":"([^"]*)"'
      end
      complete -c vctl -f
      complete -c vctl -n __fish_use_subcommand -l version -d 'print the version'

      """
    for command in CommandTable.all {
      let name = command.name.rawValue
      out +=
        "complete -c vctl -n __fish_use_subcommand -a \(name) -d \(fishText(command.summary))\n"
      let seen = "-n '__fish_seen_subcommand_from \(name)'"
      for option in options(of: command) {
        let short = option.short.map { " -s \($0)" } ?? ""
        let kind = kind(of: option)
        let value = option.value == nil ? "" : (kind == .file ? " -r" : " -x") + fishAction(kind)
        out += "complete -c vctl \(seen) -l \(option.name)\(short)\(value)"
        out += " -d \(fishText(option.summary))\n"
      }
      for operand in command.operands {
        out += "complete -c vctl \(seen)\(fishAction(operand.kind))\n"
      }
    }
    return out
  }
}
