/// A caller on the bus, as the bus names it.
struct ClientName: Hashable, Sendable {
  /// Its unique name.
  var name: String
  /// Its process, 0 when the caller was gone before the bus could tell.
  var pid: UInt32
  /// Its program's name, "" when it is not known.
  var process: String
  /// The id of the sandboxed application it belongs to, "" when that cannot be seen, `nil` for a
  /// plain program.
  var sandbox: String?
  /// Whether the user allowed it the microphone; a plain program needs no permission.
  var mayListen: Bool

  /// Whether it is certain that the caller belongs to no sandbox.
  var isPlain: Bool { sandbox == nil && isKnown }
  /// Whether the bus and the system told what the caller is, before it was gone.
  var isKnown: Bool

  init(
    name: String, pid: UInt32 = 0, process: String = "", sandbox: String? = nil,
    mayListen: Bool = true, isKnown: Bool = true
  ) {
    self.name = name
    self.pid = pid
    self.process = process
    self.sandbox = sandbox
    self.mayListen = mayListen
    self.isKnown = isKnown
  }
}
