/// A plugin's text as a string that can be shown and sent; `nil` for a null pointer.
///
/// Bytes that are no UTF-8 are written as `\xNN`. No more than `limit` bytes are looked at.
func pluginText(_ text: UnsafePointer<CChar>?, limit: Int = 255) -> String? {
  guard let text else { return nil }
  var bytes: [UInt8] = []
  while bytes.count < limit, text[bytes.count] != 0 {
    bytes.append(UInt8(bitPattern: text[bytes.count]))
  }
  if let whole = String(validating: bytes, as: UTF8.self) { return whole }
  var shown = ""
  var rest = bytes[...]
  while let first = rest.first {
    let length = first < 0x80 ? 1 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4
    if let character = String(validating: rest.prefix(length), as: UTF8.self) {
      shown += character
      rest = rest.dropFirst(length)
    } else {
      let digits = String(first, radix: 16)
      shown += "\\x" + (digits.utf8.count < 2 ? "0" : "") + digits
      rest = rest.dropFirst()
    }
  }
  return shown
}
