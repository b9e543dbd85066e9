/// Why a ring could not be made or opened.
package enum RingError: Error, Equatable, CustomStringConvertible {
  /// A system call failed with this errno.
  case system(operation: String, code: Int32)
  /// The descriptor is no ring of this version; the text says what does not fit.
  case unusable(String)

  package var description: String {
    switch self {
    case .system(let operation, let code):
      "the sound ring cannot be used: \(operation) failed with error \(code)"
    case .unusable(let text): "this is no sound ring of this version of voiced: \(text)"
    }
  }
}
