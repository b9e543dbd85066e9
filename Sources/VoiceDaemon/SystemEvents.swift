import Glibc
import VoiceCore
import VoiceIO

/// Hears from logind that the machine is about to sleep, or that the session was locked.
///
/// A delay inhibitor of our own holds the machine awake until takes are closed. Without a system
/// bus or logind nothing is heard, and nothing is asked again; nobody waits for either.
final class SystemEvents {
  private static let name = "org.freedesktop.login1"
  private static let path = "/org/freedesktop/login1"
  private static let manager = "org.freedesktop.login1.Manager"

  private let bus: Bus
  private var inhibitor: Int32 = -1
  private var subscriptions: [Subscription] = []
  /// Told before the machine sleeps; the machine waits until `onSleep` calls back.
  private let onSleep: (_ done: @escaping () -> Void) -> Void
  private let onWake: () -> Void
  private let onLock: () -> Void

  /// `nil` when there is no system bus.
  init?(
    loop: EventLoop, onSleep: @escaping (_ done: @escaping () -> Void) -> Void,
    onWake: @escaping () -> Void, onLock: @escaping () -> Void
  ) {
    guard let bus = try? Bus(loop: loop, withoutWaitingFor: .system) else { return nil }
    self.bus = bus
    self.onSleep = onSleep
    self.onWake = onWake
    self.onLock = onLock
    subscriptions.append(
      bus.subscribe(
        sender: Self.name, path: Self.path, interface: Self.manager, member: "PrepareForSleep"
      ) { [weak self] signal in
        guard let self, let isGoing = signal.arguments.first?.flag else { return }
        if isGoing {
          self.onSleep { [weak self] in self?.release() }
        } else {
          inhibit()
          self.onWake()
        }
      })
    subscriptions.append(
      bus.subscribe(
        sender: Self.name, path: nil, interface: "org.freedesktop.login1.Session", member: "Lock"
      ) { [weak self] signal in self?.locked(signal.path) })
    inhibit()
  }

  private func inhibit() {
    guard inhibitor < 0 else { return }
    bus.call(
      destination: Self.name, path: Self.path, interface: Self.manager, member: "Inhibit",
      [
        .string("sleep"), .string("voiced"), .string("Closes the running recording"),
        .string("delay"),
      ]
    ) { [weak self] result in
      guard case .success(let values) = result, case .descriptor(let descriptor)? = values.first
      else { return }
      guard let self, inhibitor < 0 else {
        close(descriptor)
        return
      }
      inhibitor = descriptor
    }
  }

  private func release() {
    guard inhibitor >= 0 else { return }
    close(inhibitor)
    inhibitor = -1
  }

  /// Tells of the lock of the session that this daemon's user is seated at now.
  ///
  /// Where logind cannot say which that is, any lock counts: a take too many is interrupted, and kept.
  private func locked(_ session: String) {
    bus.call(
      destination: Self.name, path: "/org/freedesktop/login1/user/self",
      interface: WireNames.properties, member: "Get",
      [.string("org.freedesktop.login1.User"), .string("Display")]
    ) { [weak self] result in
      if case .success(let values) = result {
        guard case .variant(.structure(let parts))? = values.first, parts.last == .path(session)
        else { return }
      }
      self?.onLock()
    }
  }
}
