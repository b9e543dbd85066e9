import Glibc
import VoiceAudio

/// A sine, full scale 1.
func sine(
  _ frequency: Double, amplitude: Double = 0.5, rate: Int = 48_000, frames: Int, from: Int = 0
) -> [Float] {
  (from..<from + frames).map {
    Float(amplitude * sin(2 * .pi * frequency * Double($0) / Double(rate)))
  }
}

extension RingWriter {
  /// Pushes channels of equal length, as the audio thread would.
  mutating func push(_ channels: [[Float]], time: UInt64) {
    let frames = channels.first?.count ?? 0
    let planes = channels.map { channel in
      let plane = UnsafeMutablePointer<Float>.allocate(capacity: max(frames, 1))
      plane.initialize(from: channel, count: frames)
      return UnsafePointer(plane) as UnsafePointer<Float>?
    }
    defer { for plane in planes { plane?.deallocate() } }
    planes.withUnsafeBufferPointer { planes in
      if let base = planes.baseAddress { push(base, frames: frames, time: time) }
    }
  }
}

extension SoundRing {
  /// All frames from a number on that are there now; `nil` when they were overrun.
  func frames(from: UInt64, atMost limit: Int = SoundRing.capacity) -> [Float]? {
    var copy = [Float](repeating: 0, count: limit)
    let outcome = copy.withUnsafeMutableBufferPointer { read(from: from, into: $0) }
    guard case .copied(let count) = outcome else { return nil }
    return Array(copy.prefix(count))
  }
}

/// CLOCK_MONOTONIC time of a frame of a stream that began at one second, in ns.
func time(ofFrame frame: Int, rate: Int = 48_000) -> UInt64 {
  1_000_000_000 + UInt64(frame) * 1_000_000_000 / UInt64(rate)
}

func decibels(_ power: Double) -> Double { 10 * log10(max(power, 1e-30)) }
