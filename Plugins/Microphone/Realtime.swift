import CPipeWire

/// Real-time scheduling of the data thread, where the user's limits allow it. [audio]
///
/// The graph waits for every node in it, so a meter that is late is heard in the user's music. Asked of the kernel
/// alone: RTKit would mean waiting for answers on the system bus before the first sound.
enum Realtime {
  /// The priority that PipeWire gives its clients (libpipewire-module-rt, rt.prio).
  private static let priority: Int32 = 88
  /// SCHED_RESET_ON_FORK: a child does not inherit it.
  private static let notInherited: Int32 = 0x4000_0000

  /// One system call or two, once a thread; a refusal changes nothing.
  static func ask() {
    guard sched_getscheduler(0) == SCHED_OTHER else { return }
    var parameters = sched_param()
    parameters.sched_priority = priority
    _ = sched_setscheduler(0, SCHED_FIFO | notInherited, &parameters)
  }
}
