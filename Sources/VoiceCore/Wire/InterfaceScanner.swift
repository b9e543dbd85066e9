/// Reads the interfaces of an introspection file: elements and attributes, comments skipped.
///
/// Not an XML reader for any file: entities are the five that XML defines, text between elements has
/// no meaning, what is not understood is passed over.
package enum InterfaceScanner {
  package static func interfaces(in file: [UInt8]) -> [InterfaceDescription] {
    var elements = OpenElements()
    var position = 0
    while let start = file[position...].firstIndex(of: UInt8(ascii: "<")) {
      if starts(file, at: start, with: "<!--") {
        position = end(file, of: "-->", from: start)
        continue
      }
      guard let tag = Tag(file, at: start) else {
        position = end(file, of: ">", from: start)
        continue
      }
      position = tag.end
      elements.take(tag, start: start, in: file)
    }
    return elements.interfaces
  }

  /// Where the first occurrence of a mark ends; the end of the file when there is none.
  private static func end(_ file: [UInt8], of mark: StaticString, from start: Int) -> Int {
    var position = start
    while position < file.count {
      if starts(file, at: position, with: mark) { return position + mark.utf8CodeUnitCount }
      position += 1
    }
    return file.count
  }

  private static func starts(_ file: [UInt8], at start: Int, with mark: StaticString) -> Bool {
    mark.withUTF8Buffer { file[start...].starts(with: $0) }
  }
}

/// The interfaces read so far, and the elements that are open.
private struct OpenElements {
  var interfaces: [InterfaceDescription] = []
  private var interface: InterfaceDescription?
  private var interfaceStart = 0
  private var method: InterfaceDescription.Method?
  private var signal: InterfaceDescription.Signal?
  private var property: InterfaceDescription.Property?

  mutating func take(_ tag: Tag, start: Int, in file: [UInt8]) {
    if !tag.isClosing { open(tag, start: start) }
    if tag.isClosing || tag.isEmpty { close(tag, in: file) }
  }

  private mutating func open(_ tag: Tag, start: Int) {
    let name = tag.attributes["name"] ?? ""
    switch tag.name {
    case "interface":
      interface = InterfaceDescription(name: name, xml: "")
      interfaceStart = start
    case "method": method = .init(name: name)
    case "signal": signal = .init(name: name)
    case "property":
      let access = tag.attributes["access"] ?? ""
      property = .init(
        name: name, type: tag.attributes["type"] ?? "", isReadable: access != "write",
        isWritable: access != "read")
    case "arg":
      let argument = InterfaceDescription.Argument(name: name, type: tag.attributes["type"] ?? "")
      if signal != nil {
        signal?.arguments.append(argument)
      } else if tag.attributes["direction"] == "out" {
        method?.outputs.append(argument)
      } else {
        method?.inputs.append(argument)
      }
    case "annotation" where name == "org.freedesktop.DBus.Property.EmitsChangedSignal":
      property?.change = tag.attributes["value"].flatMap { .init(rawValue: $0) } ?? .told
    default: break
    }
  }

  private mutating func close(_ tag: Tag, in file: [UInt8]) {
    switch tag.name {
    case "method":
      if let method { interface?.methods.append(method) }
      method = nil
    case "signal":
      if let signal { interface?.signals.append(signal) }
      signal = nil
    case "property":
      if let property { interface?.properties.append(property) }
      property = nil
    case "interface":
      interface?.xml = String(decoding: file[interfaceStart..<tag.end], as: UTF8.self)
      if let interface { interfaces.append(interface) }
      interface = nil
    default: break
    }
  }
}

/// One element's tag.
private struct Tag {
  var name = ""
  var attributes: [String: String] = [:]
  var isClosing = false
  var isEmpty = false
  /// The position behind it.
  var end: Int

  /// Reads the tag whose `<` is at `start`; `nil` for a declaration, or when it does not end.
  init?(_ file: [UInt8], at start: Int) {
    var position = start + 1
    if position < file.count, file[position] == UInt8(ascii: "/") {
      isClosing = true
      position += 1
    }
    let nameStart = position
    while position < file.count, Self.isName(file[position]) { position += 1 }
    guard position > nameStart else { return nil }
    name = String(decoding: file[nameStart..<position], as: UTF8.self)
    end = position
    while position < file.count, file[position] != UInt8(ascii: ">") {
      if file[position] == UInt8(ascii: "/") {
        isEmpty = true
        position += 1
      } else if Self.isName(file[position]) {
        guard let next = attribute(file, at: position) else { return nil }
        position = next
      } else {
        position += 1
      }
    }
    guard position < file.count else { return nil }
    end = position + 1
  }

  /// Reads `name="value"`; the position behind it, or `nil` when it is none.
  private mutating func attribute(_ file: [UInt8], at start: Int) -> Int? {
    var position = start
    while position < file.count, Self.isName(file[position]) { position += 1 }
    let key = String(decoding: file[start..<position], as: UTF8.self)
    while position < file.count, Self.isBlank(file[position]) { position += 1 }
    guard position < file.count, file[position] == UInt8(ascii: "=") else { return nil }
    position += 1
    while position < file.count, Self.isBlank(file[position]) { position += 1 }
    guard position < file.count else { return nil }
    let quote = file[position]
    guard quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'"),
      let last = file[(position + 1)...].firstIndex(of: quote)
    else { return nil }
    attributes[key] = Self.plain(file[(position + 1)..<last])
    return last + 1
  }

  /// The value with its entities resolved.
  private static func plain(_ value: ArraySlice<UInt8>) -> String {
    var out: [UInt8] = []
    var rest = value
    while let byte = rest.first {
      let entity = byte == UInt8(ascii: "&") ? entities.first { rest.starts(with: $0.0.utf8) } : nil
      out.append(entity?.1 ?? byte)
      rest = rest.dropFirst(entity?.0.utf8.count ?? 1)
    }
    return String(decoding: out, as: UTF8.self)
  }

  private static let entities: [(String, UInt8)] = [
    ("&lt;", UInt8(ascii: "<")), ("&gt;", UInt8(ascii: ">")), ("&amp;", UInt8(ascii: "&")),
    ("&quot;", UInt8(ascii: "\"")), ("&apos;", UInt8(ascii: "'")),
  ]

  private static func isName(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"),
      UInt8(ascii: "."), UInt8(ascii: ":"), 0x80...:
      true
    default: false
    }
  }

  private static func isBlank(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: " ") || (9...13).contains(byte)
  }
}
