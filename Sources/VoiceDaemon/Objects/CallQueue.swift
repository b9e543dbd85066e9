import VoiceCore
import VoiceIO

/// The calls of one object that wait to be answered, in the order in which they came.
///
/// A Press and its Release may come over different connections, and either may have to wait until
/// its caller is known: their order is the bus's, whatever becomes known first.
final class CallQueue {
  /// Calls that may wait; one more is refused.
  private static let limit = 1024
  /// The calls that make a source run or give out what was heard.
  private static let listening: Set = ["Start", "Press", "Begin", "OpenMonitor", "OpenTake"]

  private final class Entry {
    let call: BusCall
    var client: ClientName?

    init(call: BusCall) { self.call = call }
  }

  private var entries: [Entry] = []
  private var isPumping = false

  var isEmpty: Bool { entries.isEmpty }

  /// Adds a call and finds out whose it is; `ready` runs when that is known.
  func add(_ call: BusCall, clients: Clients, ready: @escaping () -> Void) {
    guard entries.count < Self.limit else {
      return call.fail(Refusal(.limitExceeded, "\(Self.limit) calls are waiting already"))
    }
    let entry = Entry(call: call)
    entries.append(entry)
    clients.identify(call.sender, listens: Self.listening.contains(call.member)) { client in
      entry.client = client
      ready()
    }
  }

  /// Prepares and dispatches calls from the front until one is not ready yet.
  func pump(
    prepare: @escaping (BusCall, @escaping () -> Void) -> Void,
    dispatch: @escaping (BusCall, ClientName) -> Void
  ) {
    guard !isPumping else { return }
    while let entry = entries.first, let client = entry.client {
      isPumping = true
      var isInside = true
      prepare(entry.call) { [self] in
        entries.removeFirst()
        isPumping = false
        dispatch(entry.call, client)
        if !isInside { pump(prepare: prepare, dispatch: dispatch) }
      }
      isInside = false
      // Still being prepared: the rest follows when that is done.
      if isPumping { return }
    }
  }
}
