// swift-tools-version: 6.2
import PackageDescription

/// One list for every Swift target: Swift 6 mode comes with the tools version, a warning is an error.
let strict: [SwiftSetting] = [
  .treatAllWarnings(as: .error),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
]

/// All files of a module at once.
///
/// The thread count keeps debug builds of several files going, which
/// otherwise stop with "index output filenames do not match".
let whole: [SwiftSetting] = [.unsafeFlags(["-wmo", "-num-threads", "1"])]

/// Plugins are Embedded Swift: a small library that needs libc and its own C library, no Swift runtime.
let embedded: [SwiftSetting] =
  whole + [.enableExperimentalFeature("Embedded"), .treatAllWarnings(as: .error)]

/// A missing symbol fails the build, not the load; the entry is the only symbol that a plugin shows.
let complete: [LinkerSetting] = [
  .unsafeFlags([
    "-Xlinker", "-z", "-Xlinker", "defs",
    "-Xlinker", "--version-script=\(Context.packageDirectory)/Plugins/exports.map",
  ])
]

/// Installed programs carry their Swift runtime, because Debian has no package of it.
let alone: [LinkerSetting] = [
  .unsafeFlags(["-static-stdlib", "-Xlinker", "-s"], .when(configuration: .release))
]

let package = Package(
  name: "voiced",
  products: [
    .executable(name: "voiced", targets: ["voiced"]),
    .executable(name: "voiced-source", targets: ["voiced-source"]),
    .executable(name: "voiced-take", targets: ["voiced-take"]),
    .executable(name: "voiced-check", targets: ["voiced-check"]),
    .executable(name: "vctl", targets: ["vctl"]),
    .library(name: "voiced-microphone", type: .dynamic, targets: ["Microphone"]),
    .library(name: "voiced-file", type: .dynamic, targets: ["File"]),
    .library(name: "voiced-speech", type: .dynamic, targets: ["Speech"]),
    .library(name: "voiced-template", type: .dynamic, targets: ["Template"]),
  ],
  targets: [
    // C: the public headers, and one module map a library.
    .target(name: "CVoiced"),
    .target(name: "CCheck", dependencies: ["CVoiced"], linkerSettings: [.linkedLibrary("m")]),
    .target(name: "CLinux"),
    .systemLibrary(name: "CDBus", pkgConfig: "dbus-1", providers: [.apt(["libdbus-1-dev"])]),
    .systemLibrary(
      name: "CAV", pkgConfig: "libavformat",
      providers: [.apt(["libavformat-dev", "libavcodec-dev", "libswresample-dev"])]),
    .systemLibrary(
      name: "CPipeWire", pkgConfig: "libpipewire-0.3", providers: [.apt(["libpipewire-0.3-dev"])]),
    .systemLibrary(name: "CSpeex", pkgConfig: "speexdsp", providers: [.apt(["libspeexdsp-dev"])]),

    // Swift, from the pure core up.
    // The core imports nothing; the standard library's own roots and rounding live in libm.
    .target(
      name: "VoiceCore", resources: [.embedInCode("Wire/Interfaces")], swiftSettings: strict,
      linkerSettings: [.linkedLibrary("m")]),
    // The whole module at once: the proof that a push neither locks nor allocates sees all files.
    .target(
      name: "VoiceAudio", dependencies: ["VoiceCore", "CLinux"],
      swiftSettings: strict + whole),
    .target(
      name: "VoiceIO", dependencies: ["VoiceCore", "CLinux", "CDBus"], swiftSettings: strict),
    .target(
      name: "VoiceDaemon", dependencies: ["VoiceCore", "VoiceAudio", "VoiceIO"],
      swiftSettings: strict),
    .executableTarget(
      name: "voiced", dependencies: ["VoiceDaemon", "VoiceIO", "VoiceCore"],
      swiftSettings: strict, linkerSettings: alone),
    .executableTarget(
      name: "voiced-source",
      dependencies: ["VoiceAudio", "VoiceIO", "VoiceCore", "CVoiced", "CLinux", "CSpeex"],
      swiftSettings: strict, linkerSettings: alone),
    .executableTarget(
      name: "voiced-take", dependencies: ["VoiceAudio", "VoiceIO", "VoiceCore", "CLinux", "CAV"],
      swiftSettings: strict, linkerSettings: alone),
    .executableTarget(
      name: "voiced-check",
      dependencies: ["VoiceIO", "VoiceCore", "CVoiced", "CLinux", "CCheck"],
      swiftSettings: strict, linkerSettings: alone),
    .executableTarget(
      name: "vctl", dependencies: ["VoiceIO", "VoiceCore"], swiftSettings: strict,
      linkerSettings: alone),

    // Plugins use the public header and their own C library, nothing else.
    .target(
      name: "Microphone", dependencies: ["CVoiced", "CPipeWire"], path: "Plugins/Microphone",
      exclude: ["README.md"], swiftSettings: embedded, linkerSettings: complete),
    .target(
      name: "File", dependencies: ["CVoiced", "CAV"], path: "Plugins/File",
      exclude: ["README.md"], swiftSettings: embedded,
      // Embedded objects do not carry the module map's link lines, and pkg-config names one library.
      linkerSettings: complete + [
        .linkedLibrary("avcodec"), .linkedLibrary("avutil"), .linkedLibrary("swresample"),
        .linkedLibrary("m"),
      ]),
    .target(
      name: "Speech", dependencies: ["CVoiced"], path: "Plugins/Speech",
      exclude: ["README.md"], swiftSettings: embedded, linkerSettings: complete),
    .target(
      name: "Template", dependencies: ["CVoiced"], path: "Plugins/Template",
      exclude: ["README.md", "Makefile"], publicHeadersPath: ".",
      linkerSettings: complete + [.linkedLibrary("m")]),

    // Tests.
    .target(
      name: "VoiceTestKit", dependencies: ["VoiceIO", "VoiceCore", "VoiceAudio", "CLinux"],
      path: "Tests/VoiceTestKit", swiftSettings: strict),
    .testTarget(name: "VoiceCoreTests", dependencies: ["VoiceCore"], swiftSettings: strict),
    .testTarget(
      name: "VoiceAudioTests",
      dependencies: [
        "VoiceAudio", "VoiceCore", "VoiceIO", "VoiceTestKit", "CVoiced", "CLinux", "voiced-source",
      ],
      exclude: ["misbehaving.c"],
      swiftSettings: strict),
    .testTarget(
      name: "VoicedTakeTests",
      dependencies: [
        "voiced-take", "VoiceAudio", "VoiceIO", "VoiceCore", "VoiceTestKit", "CLinux",
      ],
      swiftSettings: strict),
    .testTarget(
      name: "VoiceIOTests", dependencies: ["VoiceIO", "VoiceCore", "VoiceTestKit"],
      swiftSettings: strict),
    .testTarget(
      name: "VoiceDaemonTests",
      dependencies: ["VoiceDaemon", "VoiceAudio", "VoiceIO", "VoiceCore", "VoiceTestKit"],
      swiftSettings: strict),
    .testTarget(
      name: "VctlTests", dependencies: ["vctl", "VoiceIO", "VoiceCore", "VoiceTestKit"],
      swiftSettings: strict),
    .testTarget(
      name: "PluginTests", dependencies: ["VoiceTestKit", "VoiceIO", "VoiceCore"],
      swiftSettings: strict),
    .testTarget(
      name: "ContractTests", dependencies: ["VoiceCore", "VoiceTestKit"], swiftSettings: strict),
    .testTarget(
      name: "EndToEndTests", dependencies: ["VoiceTestKit", "VoiceIO", "VoiceCore", "VoiceAudio"],
      swiftSettings: strict),
  ]
)

// The fuzz targets need instrumented code and libFuzzer, whose archive the variable names: "make fuzz"
// builds them, nothing else does.
if let fuzzer = Context.environment["VOICED_FUZZER"] {
  // Without its entry point voiced-take is a module whose parts can be called.
  package.products.removeAll { $0.name == "voiced-take" }
  package.targets.removeAll { $0.name == "voiced-take" }
  package.targets += [
    .target(
      name: "voiced-take", dependencies: ["VoiceAudio", "VoiceIO", "VoiceCore", "CLinux", "CAV"],
      exclude: ["Program.swift"], swiftSettings: strict),
    .systemLibrary(name: "CFuzz", path: "Tests/Fuzz/CFuzz"),
    .executableTarget(
      name: "voiced-fuzz",
      dependencies: [
        "VoiceDaemon", "VoiceIO", "VoiceAudio", "VoiceCore", "CDBus", "CFuzz", "voiced-take",
      ],
      path: "Tests/Fuzz/Voiced", swiftSettings: strict,
      linkerSettings: [.unsafeFlags([fuzzer]), .linkedLibrary("stdc++")]),
  ]
}
