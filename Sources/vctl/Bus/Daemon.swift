import VoiceCore
import VoiceIO

/// The daemon, as seen from one connection to the session bus.
final class Daemon {
  static let name = WireNames.bus
  static let recorder = Interface(path: WireNames.recorderPath, name: WireNames.recorder)
  static let manager = Interface(path: WireNames.rootPath, name: WireNames.manager)
  /// Seconds an answer may take: the daemon answers in a tenth of one, starting it takes longer.
  static let deadline = 10.0

  /// An interface of an object.
  struct Interface {
    let path: String
    let name: String
  }

  let loop: EventLoop
  let bus: Bus

  /// Connects to the session bus.
  init() throws(Failure) {
    do throws(IOError) { loop = try EventLoop() } catch { throw Failure(.file, error.sentence) }
    do throws(BusFailure) { bus = try Bus(loop: loop, address: .session) } catch {
      throw Failure(
        .unreachable,
        "There is no session bus (\(error.text)); run vctl inside your desktop"
          + " session, or set DBUS_SESSION_BUS_ADDRESS.")
    }
  }

  /// Calls a method and waits for its answer; the bus starts the daemon when it can.
  func call(
    _ member: String, of interface: Interface, _ arguments: [BusValue] = [],
    timeout: Double = deadline
  ) throws(Failure) -> [BusValue] {
    do throws(BusFailure) {
      return try bus.callAndWait(
        destination: Self.name, path: interface.path, interface: interface.name, member: member,
        arguments, timeout: timeout)
    } catch { throw Failure(error) }
  }

  /// A verb of the recorder; answers the take it acted on, 0 for none.
  func verb(_ member: String, _ arguments: [BusValue] = []) throws(Failure) -> UInt32 {
    let answer = try call(member, of: Self.recorder, arguments)
    return answer.first?.whole.flatMap { UInt32(exactly: $0) } ?? 0
  }

  /// All properties of an interface.
  func all(of interface: Interface) throws(Failure) -> [String: BusValue] {
    let answer = try call(
      "GetAll", of: Interface(path: interface.path, name: WireNames.properties),
      [.string(interface.name)])
    return answer.first?.entries ?? [:]
  }

  func set(_ property: String, of interface: Interface, _ value: BusValue) throws(Failure) {
    _ = try call(
      "Set", of: Interface(path: interface.path, name: WireNames.properties),
      [.string(interface.name), .string(property), .variant(value)])
  }
}

extension IOError {
  /// The error as a sentence.
  var sentence: String { text.sentence }
}

extension String {
  /// The text with a capital and a full stop, as one line that cannot steer a terminal.
  var sentence: String {
    let line = plain
    guard let first = line.first, let last = line.last else { return "" }
    let head = first.isLowercase ? first.uppercased() + line.dropFirst() : line
    return ".!?".contains(last) ? head : head + "."
  }
}

extension Failure {
  /// A failure of the bus or of the daemon in plain words.
  init(_ failure: BusFailure) {
    let standard = "org.freedesktop.DBus.Error."
    guard failure.name.utf8.starts(with: standard.utf8) else {
      let text = failure.text.isEmpty ? Wording.error(failure.name) : failure.text
      self.init(.refused, text.sentence)
      return
    }
    let kind = String(failure.name.dropFirst(standard.count))
    switch kind {
    case "ServiceUnknown", "NameHasNoOwner":
      self.init(
        .unreachable,
        "voiced is not running and the bus does not know how to start it: run"
          + " \"systemctl --user start voiced\", or \"voiced\" in a terminal.")
    case "NoReply", "Timeout", "TimedOut":
      self.init(
        .unreachable, "voiced does not answer; \"systemctl --user restart voiced\" starts it again."
      )
    case "Disconnected", "NoServer": self.init(.unreachable, "The session bus is gone.")
    case _ where kind.utf8.starts(with: "Spawn.".utf8):
      self.init(
        .unreachable,
        "The bus could not start voiced (\(failure.text.plain));"
          + " \"systemctl --user status voiced\" says why.")
    case "UnknownMethod", "UnknownProperty", "UnknownInterface", "UnknownObject":
      self.init(
        .refused,
        "The running voiced does not know this, so it is older than this vctl: restart it"
          + " with \"systemctl --user restart voiced\".")
    default:
      self.init(.refused, failure.text.isEmpty ? failure.name.sentence : failure.text.sentence)
    }
  }
}
