import CVoiced
import Glibc

/// Why a plugin cannot be used; the text is for a person.
struct PluginError: Error {
  var code: Int32
  var text: String
}

/// A loaded plugin.
///
/// Never unloaded: threads of it and handlers that it left may run to the end.
struct PluginLibrary {
  /// Sources that are looked at in one library.
  static let mostSources: UInt32 = 64

  /// What the library says of itself, `VOICED_ABI` or not.
  let abi: UInt32
  private let table: voiced_library

  /// Loads a library and asks it for its table.
  init(path: String) throws(PluginError) {
    dlerror()
    guard let handle = dlopen(path, RTLD_NOW | RTLD_LOCAL | keepLoaded) else {
      let reason = dlerror().map { String(cString: $0) } ?? "no reason given"
      throw PluginError(code: -ENOEXEC, text: "The plugin cannot be loaded: \(reason).")
    }
    guard let entry = dlsym(handle, "voiced_source_library") else {
      throw PluginError(
        code: -ENOEXEC, text: "\(path) is no voiced plugin: it has no voiced_source_library.")
    }
    typealias Entry = @convention(c) (UInt32) -> UnsafePointer<voiced_library>?
    guard let pointer = unsafeBitCast(entry, to: Entry.self)(VOICED_ABI) else {
      throw PluginError(
        code: -ENOEXEC, text: "The plugin does not know plugin ABI \(VOICED_ABI) of this host.")
    }
    table = copied(pointer, into: voiced_library())
    abi = table.abi
  }

  /// Throws unless the library was built for this host's ABI.
  func check() throws(PluginError) {
    guard abi == VOICED_ABI else {
      throw PluginError(
        code: -ENOEXEC,
        text: "The plugin was built for plugin ABI \(abi), and this host has \(VOICED_ABI).")
    }
    guard table.count != nil, table.info != nil, table.create != nil else {
      throw PluginError(code: -ENOEXEC, text: "The plugin's table lacks functions.")
    }
  }

  /// What the library offers, in its order.
  var sources: [voiced_info] {
    guard let count = table.count?(), let info = table.info else { return [] }
    return (0..<min(count, Self.mostSources)).compactMap { index in
      info(index).map { copied($0, into: voiced_info()) }
    }
  }

  /// Makes the source of that id, or throws.
  func create(_ id: String, host: UnsafePointer<voiced_host>) throws(PluginError) -> PluginSource {
    try check()
    guard let info = sources.first(where: { pluginText($0.id) == id }) else {
      throw PluginError(code: -ENOENT, text: "The plugin has no source named \(id).")
    }
    guard let pointer = table.create?(id, host) else {
      throw PluginError(code: -ENODEV, text: "The plugin could not make its source \(id).")
    }
    return try PluginSource(pointer, flags: info.flags)
  }
}

/// A plugin's structure as far as both sides know it: the members within its own `size`.
func copied<Table>(_ pointer: UnsafePointer<Table>, into empty: Table) -> Table {
  var table = empty
  let size = UnsafeRawPointer(pointer).loadUnaligned(as: UInt32.self)
  withUnsafeMutableBytes(of: &table) { bytes in
    bytes.copyMemory(
      from: UnsafeRawBufferPointer(start: pointer, count: min(Int(size), bytes.count)))
  }
  return table
}

private let keepLoaded: Int32 = 0x1000  // RTLD_NODELETE, GNU-only
