import Glibc

/// Where plugins are looked for, in the order in which they win.
struct PluginFolders: Sendable {
  /// A folder, and whether every `lib*.so` in it is a plugin or only `libvoiced-*.so`.
  struct Folder: Equatable, Sendable {
    var path: String
    var onlyOurs: Bool
  }

  let folders: [Folder]

  /// `path` is `$VOICED_PLUGIN_PATH`, colon-separated, `extra` the configuration's `plugins`,
  /// `executable` the folder of the running program.
  init(path: String?, extra: [String], executable: String, home: String?) {
    var folders: [Folder] = []
    let named = (path ?? "").split(separator: ":").map(String.init) + extra
    for path in named where path.utf8.first == UInt8(ascii: "/") {
      folders.append(Folder(path: path, onlyOurs: false))
    }
    folders.append(Folder(path: executable, onlyOurs: true))
    if let home {
      folders.append(Folder(path: home + "/.local/lib/voiced/plugins", onlyOurs: false))
    }
    for system in [executable + "/../lib/voiced/plugins", "/usr/lib/voiced/plugins"] {
      folders.append(Folder(path: system, onlyOurs: false))
    }
    self.folders = folders
  }

  /// Every plugin file, in order; the same file reached twice is told once.
  func files() -> [PluginFile] {
    var files: [PluginFile] = []
    var seen: Set<[UInt64]> = []
    for folder in folders {
      let prefix = folder.onlyOurs ? "libvoiced-" : "lib"
      // Sorted last: installed, the program's folder holds thousands of others.
      let names = StateFolder(path: folder.path).names(in: folder.path).filter {
        $0.utf8.starts(with: prefix.utf8) && $0.hasSuffix(".so")
      }
      for name in names.sorted() {
        guard let facts = FileFacts(path: folder.path + "/" + name),
          seen.insert([facts.device, facts.inode]).inserted
        else { continue }
        files.append(PluginFile(path: folder.path + "/" + name, facts: facts))
      }
    }
    return files
  }
}
