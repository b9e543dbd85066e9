import Glibc

/// `file:` addresses of local files.
enum FileURI {
  /// The path of a local file's address; `nil` for any other.
  static func path(_ uri: String) -> String? {
    guard uri.utf8.starts(with: "file://".utf8) else { return nil }
    var bytes: [UInt8] = []
    var rest = Array(uri.utf8.dropFirst(7))[...]
    guard rest.first == UInt8(ascii: "/") else { return nil }
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "%") else {
        bytes.append(byte)
        continue
      }
      guard let high = rest.popFirst().flatMap(digit), let low = rest.popFirst().flatMap(digit)
      else { return nil }
      bytes.append(high << 4 | low)
    }
    guard !bytes.contains(0) else { return nil }
    return String(validating: bytes, as: UTF8.self)
  }

  /// The address of a file, which need not exist; a relative path counts from the working folder.
  static func uri(_ path: String) -> String {
    var out = "file://"
    for byte in path.fullPath.utf8 {
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "/"), UInt8(ascii: "-"),
        UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "~"):
        out.unicodeScalars.append(Unicode.Scalar(byte))
      default:
        out += (byte < 16 ? "%0" : "%") + String(byte, radix: 16, uppercase: true)
      }
    }
    return out
  }

  private static func digit(_ byte: UInt8) -> UInt8? {
    Unicode.Scalar(byte).properties.numericType == nil && byte < 65
      ? nil : UInt8(String(Unicode.Scalar(byte)), radix: 16)
  }
}

extension String {
  /// The path from the root; a relative one counts from the working folder.
  var fullPath: String {
    guard utf8.first != UInt8(ascii: "/"), let folder = getcwd(nil, 0) else { return self }
    defer { free(folder) }
    return String(cString: folder) + "/" + self
  }

  /// The target as the daemon takes it, whose working folder is not this one: the source `file` is
  /// pointed at a path.
  func target(of source: String) -> String {
    source == "file" && !isEmpty ? fullPath : self
  }
}
