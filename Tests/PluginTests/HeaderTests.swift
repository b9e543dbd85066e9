import Foundation
import Testing
import VoiceIO
import VoiceTestKit

@Suite("voiced_source.h")
struct HeaderTests {
  /// The compilers of this machine; clang of the Swift toolchain knows the newest rules.
  static let compilers: [String] = {
    let path = ProcessEnvironment.value("PATH") ?? "/usr/bin"
    let folders = path.split(separator: ":").map(String.init)
    return ["gcc", "clang"].flatMap { name in
      folders.map { $0 + "/" + name }.filter { access($0, X_OK) == 0 }
    } + toolchain
  }()

  /// The clang beside the swift that is in use.
  private static let toolchain: [String] = {
    guard let found = try? runTool("sh", ["-c", "readlink -f \"$(command -v swiftc)\""]) else {
      return []
    }
    let folder = found.text.split(separator: "/").dropLast().reduce("") { $0 + "/" + $1 }
    return [folder + "/clang"].filter { access($0, X_OK) == 0 }
  }()

  @Test("is a book of at most 250 lines of 100 columns")
  func length() {
    let lines = TextFile.read(Tree.header).split(separator: "\n", omittingEmptySubsequences: false)
    #expect(lines.count <= 251)
    #expect(lines.allSatisfy { $0.count <= 100 })
  }

  @Test(
    "compiles in C and C++ without a warning, and its layout is that of ABI 1",
    arguments: [("c", "c11"), ("c", "c17"), ("c++", "c++11"), ("c++", "c++20")])
  func compiles(language: String, standard: String) throws {
    try #require(!Self.compilers.isEmpty)
    for compiler in Self.compilers {
      for file in [Tree.header, Tree.root + "/Sources/CVoiced/voiced.c"] {
        let result = try runTool(
          compiler,
          [
            "-x", language, "-std=" + standard, "-Wall", "-Wextra", "-pedantic", "-Werror",
            "-I" + Tree.include, "-fsyntax-only", file,
          ], timeout: 30)
        #expect(result.isSuccess, "\(compiler) \(standard): \(result.errorText)")
      }
    }
  }

  @Test("real-time functions are nonblocking, and the template keeps to that")
  func effects() throws {
    for compiler in Self.compilers {
      let flags = ["-Wfunction-effects", "-Werror", "-Wall", "-I" + Tree.include, "-fsyntax-only"]
      let knows = try runTool(
        compiler, ["-Wfunction-effects", "-Werror", "-fsyntax-only", "-x", "c", "/dev/null"])
      guard knows.isSuccess else { continue }
      let good = try runTool(compiler, flags + [Tree.root + "/Plugins/Template/template.c"])
      #expect(good.isSuccess, "\(good.errorText)")
      // The check is worth something: what allocates is found.
      let folder = try TemporaryFolder()
      let path = folder.path + "/allocates.c"
      try TextFile.write(
        path,
        """
        #include <stdlib.h>
        #include "voiced_source.h"
        uint32_t f(const voiced_source *s, float *const *c, uint32_t n, uint64_t p) VOICED_RT;
        uint32_t f(const voiced_source *s, float *const *c, uint32_t n, uint64_t p) VOICED_RT {
          free(malloc(n)); return s && c && p; }
        """)
      #expect(try !runTool(compiler, flags + [path]).isSuccess)
    }
  }
}
