import CDBus
import Glibc
import VoiceCore

@testable import VoiceDaemon
@testable import VoiceIO

/// Messages of the bus as bytes: what libdbus accepts is turned into values, and read as options.
enum BusTarget {
  static func run(_ input: [UInt8]) -> Int32 {
    let message = input.withUnsafeBufferPointer { bytes in
      bytes.withMemoryRebound(to: CChar.self) {
        dbus_message_demarshal($0.baseAddress, Int32(clamping: $0.count), nil)
      }
    }
    guard let message else { return 0 }
    defer { dbus_message_unref(message) }
    var reader = BusMessageReader()
    defer { for descriptor in reader.descriptors { close(descriptor) } }
    guard let values = reader.arguments(of: message) else { return 0 }
    for value in values {
      guard case .dictionary(let options) = value else { continue }
      OptionsTarget.check(options)
    }
    return 0
  }
}
