/// Something asked of the bus, until it is cancelled or the bus is gone.
///
/// Letting go of this object does not cancel it.
package final class Subscription {
  private var undo: (() -> Void)?

  init(_ undo: @escaping () -> Void) { self.undo = undo }

  /// Nothing is told after this, not even of what has already come in.
  package func cancel() {
    let undo = undo
    self.undo = nil
    undo?()
  }
}
