import CAV

/// Answers of the libraries that are macros in C.
enum AVFailure {
  static let end = tag("E", "O", "F", " ")
  static let exit = tag("E", "X", "I", "T")
  static let again = -EAGAIN

  private static func tag(
    _ a: Unicode.Scalar, _ b: Unicode.Scalar, _ c: Unicode.Scalar, _ d: Unicode.Scalar
  ) -> Int32 {
    -Int32(bitPattern: a.value | b.value << 8 | c.value << 16 | d.value << 24)
  }
}

/// A time stamp that is none.
let noTime = Int64.min
