// swift-tools-version: 6.3
import PackageDescription

/// What every Swift target is built with; a target may add to it, none takes away.
let checked: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .strictMemorySafety(),
  .treatAllWarnings(as: .error),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
]

/// For what is in the programs: one call of the library of regular expressions (`contains` of a text
/// in a text is one) would make each a megabyte larger.
let strict =
  checked + [.unsafeFlags(["-Xfrontend", "-disable-implicit-string-processing-module-import"])]

/// For the modules that define types which lend out a view of themselves.
let lending = strict + [.enableExperimentalFeature("Lifetimes")]

/// For the modules that go over every byte of a vault: built for speed, also where the rest is built for
/// debugging, because millions of rounds and megabytes of XML take minutes otherwise.
let busy = lending + [.unsafeFlags(["-O"])]

/// What the linker reads beside the objects.
let linking = "\(Context.packageDirectory)/Sources/kdbxfs/linking"

/// How the programs are linked.
let linked: [LinkerSetting] = [
  // With lazy binding the resolver leaves vector registers, and pieces of secrets, on the stack.
  .unsafeFlags(["-Xlinker", "-z", "-Xlinker", "now"]),
  // Nobody links against the program: what isn't used is left out. Equal code once, and relocations
  // packed: a smaller program that starts faster.
  .unsafeFlags(["-use-ld=lld", "-Xlinker", "--icf=safe", "-Xlinker", "--no-export-dynamic"]),
  .unsafeFlags(["-Xlinker", "-z", "-Xlinker", "pack-relative-relocs"]),
  // Nothing is unwound: Swift's errors are return values, and what prints a crash follows frame pointers.
  .unsafeFlags(
    ["-Xlinker", "--no-eh-frame-hdr", "-Xlinker", "-T", "-Xlinker", "\(linking)/left-out.ld"],
    .when(configuration: .release)),
  // Of the C++ library only what Swift's own needs of it: to load the whole took a fifth of a start.
  .unsafeFlags(
    ["-L", linking, "-Xclang-linker", "-static-libgcc"], .when(configuration: .release)),
  // The names of Unicode's characters, which nothing asks for (`CLeftOut`).
  .unsafeFlags(
    ["-Xlinker", "--wrap=_swift_stdlib_getScalarName"], .when(configuration: .release)),
]

/// The fuzzers and their judge, libxml2: only for who asks for them (`scripts/fuzz`), because they link
/// with libFuzzer.
let fuzzers: [Target] =
  Context.environment["KDBXFS_FUZZERS"] == nil
  ? []
  : [
    .systemLibrary(
      name: "CLibxml2", path: "Fuzzers/CLibxml2", pkgConfig: "libxml-2.0",
      providers: [.apt(["libxml2-dev"])]),
    .target(name: "CFuzzing", dependencies: ["CLibxml2"], path: "Fuzzers/CFuzzing"),
    .executableTarget(
      name: "fuzzers", dependencies: ["KDBX", "ByteCoding", "Ciphers", "Secrets", "CFuzzing"],
      path: "Fuzzers/Harness", swiftSettings: busy),
  ]

let package = Package(
  name: "kdbxfs",
  targets: fuzzers + [
    // The C libraries. Each is imported by exactly one Swift target below.
    .systemLibrary(name: "CFuse3", pkgConfig: "fuse3", providers: [.apt(["libfuse3-dev"])]),
    .systemLibrary(name: "CLibcrypto", pkgConfig: "libcrypto", providers: [.apt(["libssl-dev"])]),
    .systemLibrary(name: "CArgon2", pkgConfig: "libargon2", providers: [.apt(["libargon2-dev"])]),
    .systemLibrary(name: "CNettle", pkgConfig: "nettle", providers: [.apt(["nettle-dev"])]),
    .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),
    .systemLibrary(name: "CJansson", pkgConfig: "jansson", providers: [.apt(["libjansson-dev"])]),
    // Our own C: what Swift can't say (variadic calls, macros, a wipe that stays), and the heap
    // that overwrites what is given back to it (linked into the programs only).
    .target(name: "CPlatform"),
    .target(name: "CWipingHeap"),
    // What the programs leave out of Swift's library.
    .target(name: "CLeftOut"),
    // sd-bus, loaded when the machine has it.
    .target(name: "CDesktopBus"),
    // EFF's word list, as bytes.
    .target(name: "CWordList", exclude: ["eff_large_wordlist.gz", "LICENSE.txt"]),
    // zxcvbn, loaded when the machine has it.
    .target(name: "CPasswordStrength"),
    // libpsl, loaded when the machine has it.
    .target(name: "CPublicSuffix"),

    // Leaves: no module of ours below them but CPlatform, and Secrets below Platform, which reads
    // passwords and whole files into it.
    .target(name: "Secrets", dependencies: ["CPlatform"], swiftSettings: busy),
    .target(name: "ByteCoding", swiftSettings: busy),
    .target(name: "Platform", dependencies: ["Secrets", "CPlatform"], swiftSettings: strict),

    // New passwords.
    .target(
      name: "Generation", dependencies: ["Ciphers", "ByteCoding", "Secrets", "CWordList"],
      swiftSettings: strict),

    // The vault: bytes in, values out. Knows no file system and no clock.
    .target(
      name: "Ciphers",
      dependencies: ["Secrets", "CPlatform", "CLibcrypto", "CArgon2", "CNettle", "CZlib"],
      swiftSettings: busy),
    .target(
      name: "KDBX", dependencies: ["ByteCoding", "Ciphers", "Secrets"], swiftSettings: busy),
    .target(
      name: "Vault", dependencies: ["KDBX", "ByteCoding", "Ciphers", "Secrets"],
      swiftSettings: strict),

    // The tree: names and nodes over the vault. Knows no FUSE and needs no mount.
    .target(
      name: "VaultTree",
      dependencies: ["Vault", "KDBX", "Generation", "ByteCoding", "Ciphers", "Secrets"],
      swiftSettings: strict),

    // The file system: libfuse made safe. Knows no vault.
    .target(
      name: "Fuse", dependencies: ["Platform", "Secrets", "CFuse3", "CPlatform"],
      swiftSettings: strict),

    // What the desktop tells of: sleep, locked screens, the end of a session.
    .target(name: "DesktopBus", dependencies: ["Platform", "CDesktopBus"], swiftSettings: strict),

    // Where sites begin and end in host names.
    .target(name: "PublicSuffixes", dependencies: ["CPublicSuffix"], swiftSettings: strict),

    // One mounted vault's life, where the two meet, and the command line on top.
    .target(
      name: "Session",
      dependencies: [
        "VaultTree", "Vault", "KDBX", "ByteCoding", "Ciphers", "DesktopBus", "Platform", "Secrets",
        "CJansson",
      ],
      swiftSettings: strict),
    .target(
      name: "VaultMount", dependencies: ["Fuse", "VaultTree", "Session", "Platform", "Secrets"],
      swiftSettings: strict),
    .target(
      name: "Commands",
      dependencies: [
        "VaultMount", "Session", "VaultTree", "Vault", "KDBX", "Ciphers", "ByteCoding",
        "DesktopBus", "Fuse", "PublicSuffixes", "Platform", "Secrets", "Generation",
        "CPasswordStrength",
      ],
      swiftSettings: strict),
    .executableTarget(
      name: "kdbxfs", dependencies: ["Commands", "Platform", "CWipingHeap", "CLeftOut"],
      exclude: ["linking"], swiftSettings: strict,
      linkerSettings: linked),
    // What mount(8) runs for 'mount -t kdbxfs' and fstab.
    .executableTarget(
      name: "mount.kdbxfs", dependencies: ["Commands", "Platform", "CWipingHeap", "CLeftOut"],
      path: "mount-helper", exclude: ["kdbxfs@.service"], swiftSettings: strict,
      linkerSettings: linked),

    // What `scripts/bench` times beside the C programs of Benchmarks/Limits.
    .executableTarget(
      name: "stage-timer", dependencies: ["KDBX", "Ciphers", "Platform", "Secrets"],
      path: "Benchmarks/Stages", swiftSettings: strict),

    // What several of the test targets use.
    .target(name: "TestSupport", path: "Tests/TestSupport", swiftSettings: checked),

    .testTarget(name: "SecretsTests", dependencies: ["Secrets"], swiftSettings: checked),
    .testTarget(
      name: "ByteCodingTests", dependencies: ["ByteCoding", "TestSupport"], swiftSettings: checked),
    // What the tests of `Platform` start: what a process does that dies, or has another terminal.
    .executableTarget(
      name: "platform-probe", dependencies: ["Platform", "Secrets"], path: "Tests/PlatformProbe",
      swiftSettings: checked),
    .testTarget(
      name: "PlatformTests", dependencies: ["Platform", "Secrets", "platform-probe"],
      swiftSettings: checked),
    .testTarget(
      name: "CiphersTests", dependencies: ["Ciphers", "Secrets", "TestSupport"],
      swiftSettings: checked),
    .testTarget(
      name: "GenerationTests", dependencies: ["Generation", "Secrets"], swiftSettings: checked),
    .testTarget(
      name: "KDBXTests", dependencies: ["KDBX", "ByteCoding", "Ciphers", "Secrets", "TestSupport"],
      swiftSettings: checked),
    .testTarget(
      name: "VaultTests",
      dependencies: ["Vault", "KDBX", "ByteCoding", "Ciphers", "Secrets", "TestSupport"],
      swiftSettings: checked),
    .testTarget(
      name: "VaultTreeTests",
      dependencies: [
        "VaultTree", "Vault", "KDBX", "ByteCoding", "Ciphers", "Secrets", "TestSupport",
      ],
      swiftSettings: checked),
    // What the tests of `Fuse` mount: a process that serves a mount can't read it.
    .executableTarget(
      name: "fuse-probe", dependencies: ["Fuse", "Platform"], path: "Tests/FuseProbe",
      swiftSettings: checked),
    .testTarget(
      name: "FuseTests", dependencies: ["Fuse", "Platform", "fuse-probe"], swiftSettings: checked),
    .testTarget(
      name: "PublicSuffixesTests", dependencies: ["PublicSuffixes"], swiftSettings: checked),
    .testTarget(
      name: "VaultMountTests", dependencies: ["VaultMount", "Fuse"], swiftSettings: checked),
    // What the end-to-end tests of locking and saving mount: the program with a clock that they set,
    // saves that fail or die where they want, and a save between any two requests.
    .executableTarget(
      name: "clocked-kdbxfs",
      dependencies: [
        "Commands", "Session", "VaultTree", "Fuse", "Platform", "Secrets", "CWipingHeap",
        "CLeftOut",
      ],
      path: "Tests/SessionProbe", swiftSettings: checked,
      linkerSettings: linked),
    .testTarget(
      name: "SessionTests",
      dependencies: ["Session", "VaultTree", "Vault", "KDBX", "Platform", "Secrets", "Ciphers"],
      swiftSettings: checked),
    .testTarget(
      name: "CommandsTests",
      dependencies: [
        "Commands", "Fuse", "Generation", "KDBX", "Platform", "Secrets", "Session", "VaultTree",
      ],
      swiftSettings: checked),
  ]
)
