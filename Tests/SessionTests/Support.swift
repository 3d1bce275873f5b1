import Platform
import Secrets
import Session
import VaultTree

/// The vault that the tests open, and its password.
enum Fixture {
  static let password = "fixture"
  static let name = "kdbx4.0-aeskdf-aes-gzip-password.kdbx"

  static var folder: Path {
    let here = Path(#filePath)
    return here.parent.parent.appending("Fixtures")
  }

  static func path(_ name: String) -> Path { folder.appending(name) }
}

/// A folder of a test's own, which goes with it.
final class TemporaryFolder: Sendable {
  let path: Path

  init() throws {
    let random = String(UInt64.random(in: 0 ... .max), radix: 36)
    let base = Path(Process.environment("TMPDIR") ?? Array("/tmp".utf8))
    path = try Files.resolve(base).appending("kdbxfs-test-\(random)")
    try Files.makeDirectory(path)
  }

  deinit { Self.remove(path) }

  private static func remove(_ folder: Path) {
    for name in (try? Files.names(in: folder)) ?? [] {
      let path = folder.appending(name)
      let status = try? Files.status(of: path, followingLinks: false)
      if status?.kind == .directory { remove(path) } else { try? Files.remove(path) }
    }
    try? Files.removeDirectory(folder)
  }

  /// The names in it, sorted.
  var names: [String] {
    get throws {
      try Files.names(in: path).map { String(decoding: $0, as: UTF8.self) }.sorted()
    }
  }

  /// Copies a fixture into the folder as `vault.kdbx`.
  func vault(_ fixture: String = Fixture.name) throws -> Path {
    let copy = path.appending("vault.kdbx")
    let bytes = try Files.readWhole(Fixture.path(fixture))
    try write(bytes.bytes, to: copy)
    return copy
  }

  func write(_ bytes: Span<UInt8>, to path: Path) throws {
    let file = try Descriptor.open(path, [.write, .create, .truncate])
    try file.writeAll(bytes)
  }
}

/// The bytes of a file, for comparing.
func contents(_ path: Path) throws -> [UInt8] {
  let buffer = try Files.readWhole(path)
  return copied(buffer.bytes)
}

func copied(_ span: Span<UInt8>) -> [UInt8] {
  var bytes: [UInt8] = []
  for index in span.indices { bytes.append(span[index]) }
  return bytes
}

/// A second name for a file.
func makeHardLink(_ path: Path, _ target: Path) throws {
  let command = ["ln", "--"].map { Array($0.utf8) } + [path.bytes, target.bytes]
  let nothing: [UInt8] = []
  _ = try Program.run(command, input: nothing.span, limit: 1)
}

func secret(_ text: String) -> SecretBytes {
  let bytes = Array(text.utf8)
  return SecretBytes(copying: bytes.span)
}

/// Opens a vault with the fixtures' password.
func openVault(_ vault: Path) throws(SessionError) -> OpenedVault {
  try VaultCandidate(vault).open(password: secret(Fixture.password), keyFileKey: nil)
}

extension VaultTree {
  /// What a file of the tree holds.
  func text(_ path: String) throws(TreeError) -> String {
    let handle = try open(try resolve(path: Array(path.utf8)), .read)
    defer { release(handle) }
    var buffer = WipedBuffer()
    try read(handle, at: 0, count: 1 << 20, into: &buffer)
    return String(decoding: copied(buffer.bytes), as: UTF8.self)
  }

  /// Writes a file of the tree, as `echo` would.
  func setText(_ path: String, _ text: String) throws(TreeError) {
    let handle = try open(try resolve(path: Array(path.utf8)), [.write, .truncate])
    defer { release(handle) }
    let bytes = Array(text.utf8)
    _ = try write(handle, at: 0, bytes.span, append: false)
    try flush(handle)
  }
}
