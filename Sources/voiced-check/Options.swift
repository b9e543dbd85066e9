/// What the command line asks for.
struct Options {
  enum Task {
    case help
    case version
    case list
    /// Judge a library.
    case check(path: String)
    /// Be the process of one check; what this program calls itself with.
    case run(name: String, path: String, id: String)
  }

  var task: Task
  var json = false
  /// Checks or groups wanted; empty for all.
  var only: [String] = []
  var target: String?

  struct Misuse: Error {
    let text: String
  }

  init(_ arguments: [String]) throws(Misuse) {
    var rest = arguments[...]
    var path: String?
    var run: String?
    var id = ""
    var listing = false
    func value(of option: String) throws(Misuse) -> String {
      guard let value = rest.popFirst() else { throw Misuse(text: "\(option) needs a value.") }
      return value
    }
    task = .help
    while let argument = rest.popFirst() {
      switch argument {
      case "-h", "--help": return
      case "-V", "--version":
        task = .version
        return
      case "--list": listing = true
      case "--json": json = true
      case "--only":
        let name = try value(of: argument)
        guard Check.all.contains(where: { $0.name == name || $0.group == name }) else {
          throw Misuse(text: "There is no check or group \(name); --list names them.")
        }
        only.append(name)
      case "--target": target = try value(of: argument)
      case "--run": run = try value(of: argument)
      case "--id": id = try value(of: argument)
      default:
        if argument.utf8.first == UInt8(ascii: "-") {
          throw Misuse(text: "There is no option \(argument).")
        }
        if path != nil { throw Misuse(text: "One library at a time.") }
        path = argument
      }
    }
    if listing {
      task = .list
    } else if let run, let path {
      task = .run(name: run, path: path, id: id)
    } else if let path {
      task = .check(path: path)
    } else {
      throw Misuse(text: "Say which library to check.")
    }
  }

  func wants(_ check: Check) -> Bool {
    only.isEmpty || only.contains(check.name) || only.contains(check.group)
  }

  static let usage = """
    usage: voiced-check PLUGIN [--only CHECK|GROUP]... [--target TARGET] [--json]
           voiced-check --list [--json]
           voiced-check --version

      PLUGIN    a level source for voiced: libvoiced-NAME.so
      --only    run that check, or that group of checks, and show what it writes to standard error
      --target  what to point the source at, such as a file; else its default
      --json    one JSON object on one line
      --list    every check with a paragraph that says why

    Status: 0 when no check failed or crashed, 1 when one did, 2 for wrong usage.

    """
}
