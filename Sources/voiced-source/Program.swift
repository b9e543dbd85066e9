import Glibc

/// Runs one source of one plugin, away from the daemon.
///
///     voiced-source PLUGIN ID              3 control socket, 4 ring, 5 eventfd
///     voiced-source --describe PLUGIN      messages on socket 3, else lines on standard output
///     voiced-source --targets PLUGIN ID    the same
@main
struct Program {
  static func main() {
    let arguments = Array(CommandLine.arguments.dropFirst())
    switch (arguments.first, arguments.count) {
    case ("--describe", 2):
      let outlet = Outlet.forListing()
      Containment.apply(keepingDescriptorsUpTo: 3)
      exit(Listing.describe(plugin: arguments[1], to: outlet))
    case ("--targets", 3):
      let outlet = Outlet.forListing()
      Containment.apply(keepingDescriptorsUpTo: 3)
      exit(Listing.targets(plugin: arguments[1], id: arguments[2], to: outlet))
    case (let plugin?, 2) where !plugin.utf8.starts(with: "-".utf8):
      Containment.apply(keepingDescriptorsUpTo: 5)
      exit(SourceRun.run(plugin: plugin, id: arguments[1]))
    default:
      let usage = "voiced-source is started by voiced: voiced-source PLUGIN ID, --describe PLUGIN,"
      for byte in [usage, " or --targets PLUGIN ID.\n"] {
        _ = byte.withCString { write(STDERR_FILENO, $0, strlen($0)) }
      }
      exit(EX_USAGE)
    }
  }
}
