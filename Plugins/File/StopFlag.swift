import Synchronization

/// Tells the decoder thread to end; set once, from the main thread.
struct StopFlag: ~Copyable {
  private let flag = Atomic<Bool>(false)

  var isSet: Bool { flag.load(ordering: .relaxed) }
  func set() { flag.store(true, ordering: .relaxed) }
}
