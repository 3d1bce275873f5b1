import Glibc
import Platform
import Secrets
import Testing

/// An empty folder for one test, removed with all that is in it when the value goes.
final class Folder: Sendable {
  let path: Path

  init() throws {
    let base = Process.environment("TMPDIR").map { Path($0) } ?? "/tmp"
    let random = String(UInt64.random(in: 0 ... .max), radix: 16)
    let path = base.appending("kdbxfs-test-\(random)")
    try Files.makeDirectory(path)
    self.path = try Files.resolve(path)
  }

  deinit {
    Folder.removeAll(path)
  }

  /// The path of `name` in here.
  subscript(_ name: String) -> Path { path.appending(name) }

  func write(_ text: String, to name: String, permissions: UInt32 = 0o600) throws {
    let file = try Descriptor.open(self[name], [.write, .create, .truncate])
    try file.writeAll(Array(text.utf8).span)
    let number = file.number
    try systemCall { fchmod(number, permissions) }
  }

  func read(_ name: String) throws -> String { try text(of: self[name]) }

  /// The names in here, sorted.
  var names: [String] {
    get throws {
      try Files.names(in: path).map { String(decoding: $0, as: UTF8.self) }.sorted()
    }
  }

  private static func removeAll(_ path: Path) {
    guard let status = try? Files.status(of: path, followingLinks: false) else { return }
    guard status.kind == .directory else {
      try? Files.remove(path)
      return
    }
    for name in (try? Files.names(in: path)) ?? [] { removeAll(path.appending(name)) }
    try? Files.removeDirectory(path)
  }
}

/// The text of a whole file.
func text(of path: Path) throws -> String {
  let bytes = try Files.readWhole(path)
  return String(decoding: bytes.array, as: UTF8.self)
}

extension WipedBuffer {
  /// A copy of the bytes.
  var array: [UInt8] { unsafe bytes.withUnsafeBufferPointer { unsafe Array($0) } }
}

extension SecretBytes {
  /// The bytes as a text.
  var text: String {
    withBytes { bytes in
      String(decoding: bytes.indices.map { bytes[$0] }, as: UTF8.self)
    }
  }
}

/// Runs a program, and gives what it says.
@discardableResult
func run(_ arguments: String..., input: String = "") throws -> String {
  let input = Array(input.utf8)
  return try Program.run(
    arguments.map { Array($0.utf8) }, input: input.span, limit: 1 << 20
  ).text
}

/// The program that the build put beside the tests.
var probe: Path {
  get throws { try Files.resolve("/proc/self/exe").parent.appending("platform-probe") }
}

/// Whether this process may mount file systems.
let mayMount =
  Process.user == 0
  && (try? Folder()).map { folder in
    (try? run("mount", "-t", "tmpfs", "none", folder.path.description)) != nil
      && (try? run("umount", folder.path.description)) != nil
  } ?? false

/// Reads up to the next line feed, which is left out; `nil` at the end.
func readLine(from descriptor: borrowing Descriptor) -> String? {
  var line = WipedBuffer()
  while let count = try? descriptor.read(atMost: 1, into: &line), count == 1 {
    if line.array.last == UInt8(ascii: "\n") {
      return String(decoding: line.array.dropLast(), as: UTF8.self)
    }
  }
  return line.count == 0 ? nil : String(decoding: line.array, as: UTF8.self)
}
