/// One D-Bus interface as its introspection XML describes it: what may be called, with which types.
package struct InterfaceDescription: Equatable, Sendable {
  package struct Argument: Equatable, Sendable {
    package var name: String
    /// A D-Bus signature.
    package var type: String
  }

  package struct Method: Equatable, Sendable {
    package var name: String
    package var inputs: [Argument] = []
    package var outputs: [Argument] = []
    /// The signature that a call must have.
    package var input: String { signature(of: inputs) }
    /// The signature of its answer.
    package var output: String { signature(of: outputs) }
  }

  package struct Signal: Equatable, Sendable {
    package var name: String
    package var arguments: [Argument] = []
    package var signature: String { VoiceCore.signature(of: arguments) }
  }

  package struct Property: Equatable, Sendable {
    package var name: String
    package var type: String
    package var isReadable: Bool
    package var isWritable: Bool
    package var change: Change = .told
  }

  /// What PropertiesChanged says of a property; the raw value is that of the annotation.
  package enum Change: String, Sendable {
    /// The new value is told.
    case told = "true"
    /// That it changed is told.
    case invalidated = "invalidates"
    case never = "const"
    /// Changes are not told.
    case untold = "false"
  }

  package internal(set) var name: String
  package internal(set) var methods: [Method] = []
  package internal(set) var signals: [Signal] = []
  package internal(set) var properties: [Property] = []
  /// The `interface` element as it stands in its file, for introspection.
  package internal(set) var xml: String

  package func method(_ name: String) -> Method? { methods.first { $0.name == name } }
  package func signal(_ name: String) -> Signal? { signals.first { $0.name == name } }
  package func property(_ name: String) -> Property? { properties.first { $0.name == name } }
}

private func signature(of arguments: [InterfaceDescription.Argument]) -> String {
  arguments.reduce("") { $0 + $1.type }
}

extension InterfaceDescription {
  /// The interfaces of the installed files, read when first asked for.
  package static let manager = embedded(PackageResources.org_voiced_Voiced1_Manager_xml)
  package static let recorder = embedded(PackageResources.org_voiced_Voiced1_Recorder_xml)
  package static let monitor = embedded(PackageResources.org_voiced_Voiced1_Monitor_xml)

  /// The first interface of a file; tests hold that there is exactly one.
  private static func embedded(_ file: [UInt8]) -> InterfaceDescription {
    InterfaceScanner.interfaces(in: file).first ?? InterfaceDescription(name: "", xml: "")
  }
}
