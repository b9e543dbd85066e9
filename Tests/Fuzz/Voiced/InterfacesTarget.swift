import VoiceCore

/// Introspection files of any bytes: what is found was there.
enum InterfacesTarget {
  static func run(_ input: [UInt8]) -> Int32 {
    for interface in InterfaceScanner.interfaces(in: input)
    where interface.xml.utf8.count > 3 * input.count + 64 {
      broken("the description of an interface is a part of its file")
    }
    return 0
  }
}
