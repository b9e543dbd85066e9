/// Divides `count` values into `parts` equal stretches and gives each stretch's maximum.
///
/// With fewer values than parts, each part shows the value it falls into. Empty without values.
func peakResampled(_ values: [Float], to parts: Int) -> [Float] {
  guard !values.isEmpty else { return [] }
  return (0..<parts).map { part in
    let start = part * values.count / parts
    let end = max(start + 1, (part + 1) * values.count / parts)
    return values[start..<end].max() ?? 0
  }
}
