import VoiceCore
import VoiceIO

/// One object on the bus with one interface of ours.
///
/// Names, signatures and access were checked against the interface before anything is called.
protocol BusObject: AnyObject {
  var path: String { get }
  var interface: InterfaceDescription { get }
  /// Only this caller may use the object; `nil` for everybody.
  var owner: String? { get }
  /// Answers a method, now or later, exactly once.
  func invoke(_ call: BusCall, by client: ClientName)
  /// A readable property's value.
  func value(of property: String) -> BusValue
  /// Sets a writable property.
  func set(_ property: String, to value: BusValue, by client: ClientName) throws(Refusal)
  /// Runs `then` once the call can be answered; most can at once. Later calls wait for it.
  func prepare(_ call: BusCall, then: @escaping () -> Void)
}

extension BusObject {
  func prepare(_ call: BusCall, then: @escaping () -> Void) { then() }
}

extension BusCall {
  func fail(_ refusal: Refusal) {
    fail(refusal.error.fullName, refusal.text)
  }

  /// The text argument at a place; "" for any other kind, which the signature check excludes.
  func string(_ index: Int) -> String {
    switch arguments[index] {
    case .string(let text), .path(let text): text
    default: ""
    }
  }

  func number(_ index: Int) -> UInt32 {
    if case .uint32(let number) = arguments[index] { number } else { 0 }
  }

  func options(_ index: Int) -> [String: BusValue] {
    if case .dictionary(let options) = arguments[index] { options } else { [:] }
  }
}
