/// One packet between the daemon and a child: a word and key/value pairs, each ended by a zero byte.
///
/// Readers ignore words and keys they do not know, so either side may be the newer one.
package struct ControlMessage: Equatable, Sendable {
  /// Longest packet either side sends or accepts, in bytes.
  package static let limit = 65_536

  package var word: String
  package var fields: [String: String]

  package init(_ word: String, _ fields: [String: String] = [:]) {
    self.word = word
    self.fields = fields
  }

  /// Reads a packet; `nil` when it is not one (no word, not UTF-8, a key without its value).
  package init?(bytes: some BidirectionalCollection<UInt8>) {
    guard bytes.count <= Self.limit, bytes.last == 0 else { return nil }
    let parts = bytes.dropLast().split(separator: 0, omittingEmptySubsequences: false)
    let texts = parts.compactMap { String(validating: $0, as: UTF8.self) }
    guard texts.count == parts.count, texts.count % 2 == 1, !texts[0].isEmpty else { return nil }
    word = texts[0]
    fields = [:]
    for index in stride(from: 1, to: texts.count, by: 2) { fields[texts[index]] = texts[index + 1] }
  }

  /// The packet's bytes, keys in order, so that equal messages are equal packets.
  ///
  /// Zero bytes inside a value cannot be carried and are dropped.
  package var bytes: [UInt8] {
    var out: [UInt8] = []
    func append(_ text: String) {
      out.append(contentsOf: text.utf8.lazy.filter { $0 != 0 })
      out.append(0)
    }
    append(word)
    for key in fields.keys.sorted() {
      append(key)
      append(fields[key, default: ""])
    }
    return out
  }

  package subscript(key: String) -> String? { fields[key] }
}
