import CLinux
import Glibc

/// One thread's epoll: descriptors, timers, and work to do before the next wait.
///
/// Everything belongs to the thread that made it. The loop keeps watches until they are cancelled
/// and timers while they are armed. With nothing due it sleeps without a wake-up.
package final class EventLoop {
  /// Events taken from the kernel in one wait; more are taken in the next.
  private static let batch = 32

  private let epoll: Int32
  private let events: UnsafeMutablePointer<epoll_event>
  /// By a key that is never used twice, so that an event of a cancelled watch meets nobody,
  /// even when its descriptor has been given out again.
  private var watches: [UInt64: Watch] = [:]
  private var lastKey: UInt64 = 0
  /// Armed timers, earliest first.
  private var timers: [LoopTimer] = []
  private var deferred: [() -> Void] = []
  private var status: Int32?
  /// Why the loop had to stop by itself, with status `EX_OSERR`.
  package private(set) var fault: IOError?

  package init() throws(IOError) {
    epoll = epoll_create1(Int32(EPOLL_CLOEXEC))
    events = .allocate(capacity: Self.batch)
    if epoll < 0 { throw .last("make an epoll") }
  }

  deinit {
    events.deallocate()
    close(epoll)
  }

  /// `CLOCK_MONOTONIC`, in nanoseconds.
  package static var now: UInt64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
  }

  /// Nanoseconds that the machine has slept since it was started, in which `now` stood still.
  package static var slept: UInt64 {
    var time = timespec()
    clock_gettime(CLOCK_BOOTTIME, &time)
    let sinceStart = UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    return sinceStart - min(now, sinceStart)
  }

  /// Calls `handler` whenever the descriptor is ready for what is wanted, until cancelled.
  ///
  /// A descriptor that hangs up counts as ready for whatever is wanted of it. The descriptor stays
  /// the caller's, who cancels the watch before closing it. Throws for a file that epoll refuses.
  package func watch(
    _ descriptor: Int32, read: Bool, write: Bool,
    _ handler: @escaping (_ readable: Bool, _ writable: Bool) -> Void
  ) throws(IOError) -> Watch {
    lastKey += 1
    let watch = Watch(loop: self, descriptor: descriptor, key: lastKey, handler: handler)
    try watch.register(read: read, write: write)
    watches[lastKey] = watch
    return watch
  }

  /// A timer that is not armed yet.
  package func timer(_ handler: @escaping () -> Void) -> LoopTimer {
    LoopTimer(loop: self, handler: handler)
  }

  /// Does `work` once, after the handlers that are running now and before the loop next sleeps.
  package func later(_ work: @escaping () -> Void) { deferred.append(work) }

  /// Serves until `stop`; returns its status.
  package func run() -> Int32 {
    status = nil
    while true {
      if let status { return status }
      turn()
    }
  }

  /// Makes `run` return this status once the running handler has.
  package func stop(_ status: Int32) { self.status = status }

  /// One round: a wait of at most `limit` seconds, what is ready, what is due, deferred work.
  package func turn(atMost limit: Double = .infinity) {
    let count = wait(atMost: limit)
    for index in 0..<count {
      let event = events[index]
      watches[event.data.u64]?.deliver(event.events)
    }
    fireTimers()
    let work = deferred
    deferred = []
    for item in work { item() }
  }

  /// Waits for events; returns how many there are.
  private func wait(atMost limit: Double) -> Int {
    let now = Self.now
    var until = UInt64.max
    if limit.isFinite { until = LoopTimer.later(than: now, by: limit) }
    if let first = timers.first { until = min(until, first.due) }
    if !deferred.isEmpty { until = now }
    let count: Int32
    if until == .max {
      count = epoll_pwait2(epoll, events, Int32(Self.batch), nil, nil)
    } else {
      let span = until > now ? until - now : 0
      var time = timespec(
        tv_sec: Int(span / 1_000_000_000), tv_nsec: Int(span % 1_000_000_000))
      count = epoll_pwait2(epoll, events, Int32(Self.batch), &time, nil)
    }
    if count < 0, errno != EINTR { fail(.last("wait for events")) }
    return max(0, Int(count))
  }

  /// Fires what is due; a timer armed again meanwhile waits for the next round.
  private func fireTimers() {
    guard let first = timers.first else { return }
    let now = Self.now
    guard first.due <= now else { return }
    var left = timers.prefix { $0.due <= now }.count
    while left > 0, let timer = timers.first, timer.due <= now {
      left -= 1
      timers.removeFirst()
      timer.fire(now: now)
    }
  }

  /// Stops for good: without its descriptors a program on this loop cannot serve.
  func fail(_ error: IOError) {
    fault = fault ?? error
    stop(EX_OSERR)
  }

  func control(_ operation: Int32, _ watch: Watch, mask: UInt32) -> Bool {
    var event = epoll_event(events: mask, data: epoll_data_t(u64: watch.key))
    return epoll_ctl(epoll, operation, watch.descriptor, &event) == 0
  }

  func forget(_ watch: Watch) { watches[watch.key] = nil }

  /// Timers with the same due time fire in the order they were armed.
  func insert(_ timer: LoopTimer) {
    let place = timers.firstIndex { $0.due > timer.due } ?? timers.endIndex
    timers.insert(timer, at: place)
  }

  func remove(_ timer: LoopTimer) { timers.removeAll { $0 === timer } }
}
