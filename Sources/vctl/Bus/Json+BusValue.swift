import VoiceCore
import VoiceIO

extension Json {
  /// What came from the bus as JSON; dictionaries by their keys in order.
  init(_ value: BusValue) {
    if let entries = value.entries {
      self = .object(entries.sorted { $0.key < $1.key }.map { Member($0.key, Json($0.value)) })
    } else if let items = value.items {
      self = .array(items.map { Json($0) })
    } else if let flag = value.flag {
      self = .boolean(flag)
    } else if let whole = value.whole {
      self = .integer(whole)
    } else if let number = value.number {
      self = .number(number, decimals: 6)
    } else if let text = value.text {
      self = .string(text)
    } else {
      self = .null
    }
  }
}
