import CAV
import Glibc
import VoiceCore

/// Packets put into a file one after another, and what is needed to find them again: four bytes each.
struct PacketIndex {
  private let file: OpenFile
  /// Where in the file the first packet is.
  private let start: UInt64
  private var entries: [(bytes: UInt16, duration: UInt16)] = []
  /// When the first packet begins: before 0 for an encoder with a delay.
  private var began: Int64 = 0
  private var time: Int64 = 0
  /// Packets that are not in the file yet, and the bytes before them that are.
  private var pending: [UInt8] = []
  private var written: UInt64 = 0
  /// The next packet to be read back.
  private var cursor = 0

  private static let buffer = 32_768

  /// Where in the file the packets end that are there or, once they are read back, were read.
  var end: UInt64 { start + written }

  init(_ file: OpenFile, start: UInt64) {
    self.file = file
    self.start = start
  }

  /// Puts a packet behind the others.
  mutating func add(_ packet: AVPacket) throws(TakeFailure) {
    if entries.isEmpty {
      began = packet.pts
      time = began
    }
    guard packet.pts == time, let bytes = UInt16(exactly: packet.size),
      let duration = UInt16(exactly: packet.duration)
    else { throw TakeFailure(.sourceFailed, "the encoder gave a packet that nothing can follow") }
    entries.append((bytes, duration))
    time += Int64(duration)
    pending.append(contentsOf: UnsafeBufferPointer(start: packet.data, count: Int(packet.size)))
    if pending.count >= Self.buffer { try flush() }
  }

  /// Reads the next packet back; `false` after the last.
  mutating func next(into packet: UnsafeMutablePointer<AVPacket>) throws(TakeFailure) -> Bool {
    if cursor == 0 {
      try flush()
      (written, time) = (0, began)
    }
    guard cursor < entries.count else { return false }
    let entry = entries[cursor]
    let code = av_new_packet(packet, Int32(entry.bytes))
    guard code >= 0 else { throw TakeFailure(codec: "written", code: code) }
    let target = UnsafeMutableRawBufferPointer(start: packet.pointee.data, count: Int(entry.bytes))
    guard file.read(at: start + written, into: target) == target.count else {
      throw TakeFailure("read", file.path, code: EIO)
    }
    packet.pointee.pts = time
    packet.pointee.dts = time
    packet.pointee.duration = Int64(entry.duration)
    packet.pointee.flags = AV_PKT_FLAG_KEY
    cursor += 1
    written += UInt64(entry.bytes)
    time += Int64(entry.duration)
    return true
  }

  private mutating func flush() throws(TakeFailure) {
    try file.write(pending, at: start + written)
    written += UInt64(pending.count)
    pending.removeAll(keepingCapacity: true)
  }
}
