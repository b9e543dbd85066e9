/// The "key=value" lines that come with a start; unknown keys are ignored.
struct Options {
  var isRecording = false
  /// `media.role` of the stream.
  var role: Text?

  init(_ lines: Text) {
    for line in lines.bytes.split(separator: 10) {
      guard let equals = line.firstIndex(of: 61) else { continue }
      let key = Text(Array(line[..<equals]))
      let value = Text(Array(line[(equals + 1)...]))
      if key == Text("recording") { isRecording = value == Text("1") }
      if key == Text("media-role"), !value.isEmpty { role = value }
    }
  }
}
