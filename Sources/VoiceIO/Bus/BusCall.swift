import Glibc

/// A method call from a peer, to be answered once.
///
/// It can be kept and answered later. Let go without an answer, it answers an error of its own.
/// Descriptors among the arguments are closed with it.
package final class BusCall {
  package let path: String
  /// `nil` when the caller named none.
  package let interface: String?
  package let member: String
  /// The unique name of the caller.
  package let sender: String
  /// The arguments' signatures in a row.
  package let signature: String
  package let arguments: [BusValue]
  package let wantsReply: Bool
  private let serial: UInt32
  private var descriptors: [Int32]
  private weak var bus: Bus?
  private var isAnswered = false

  init(
    bus: Bus, message: BusHeader, serial: UInt32, wantsReply: Bool, arguments: [BusValue],
    descriptors: [Int32]
  ) {
    self.bus = bus
    path = message.path
    interface = message.interface.isEmpty ? nil : message.interface
    member = message.member
    sender = message.sender
    signature = message.signature
    self.serial = serial
    self.wantsReply = wantsReply
    self.arguments = arguments
    self.descriptors = descriptors
  }

  /// Closes the descriptors among the arguments, for whoever takes none.
  package func closeDescriptors() {
    for descriptor in descriptors { close(descriptor) }
    descriptors = []
  }

  deinit {
    closeDescriptors()
    if !isAnswered, wantsReply {
      bus?.answer(sender, serial, .failure(.standard("Failed", "\(member) was not answered")))
    }
  }

  /// Answers with the method's results; later answers are ignored.
  package func reply(_ values: [BusValue] = []) { answer(.success(values)) }

  /// Answers with an error; later answers are ignored.
  package func fail(_ name: String, _ text: String) {
    answer(.failure(BusFailure(name: name, text: text)))
  }

  private func answer(_ result: Result<[BusValue], BusFailure>) {
    guard !isAnswered else { return }
    isAnswered = true
    if wantsReply { bus?.answer(sender, serial, result) }
  }
}
