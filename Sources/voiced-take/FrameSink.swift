/// Something that makes a file of mono frames at its format's rate.
protocol FrameSink: AnyObject {
  func append(_ frames: UnsafeBufferPointer<Float>) throws(TakeFailure)
  /// Writes what makes the file whole; nothing may be appended after it.
  func finish() throws(TakeFailure)
}
