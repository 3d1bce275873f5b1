import Glibc
import Secrets

extension AtomicReplacement {
  /// Makes a file that isn't there yet, whole at once: `path` names nothing or all of `bytes`.
  ///
  /// Never takes the place of a file: one that appears meanwhile is left alone, and the step `rename`
  /// fails with ``Errno/exists``. `verify` looks at what was read back from the disk. On failure
  /// nothing is left behind.
  package static func create(
    _ path: Path, with bytes: Span<UInt8>, permissions: UInt32, verify: (Span<UInt8>) -> Bool
  ) throws(ReplacementError) {
    let folder = path.parent
    let random = UInt64.random(in: 0 ... .max)
    let temporary = folder.appending(
      Array(".".utf8) + path.lastComponent
        + Array(".kdbxfs-\(Process.id)-\(String(random, radix: 16))".utf8))
    let file = try step(.create) { () throws(Errno) in
      try Descriptor.open(
        temporary, [.readWrite, .create, .exclusive, .noFollow], permissions: permissions & 0o777)
    }
    do throws(ReplacementError) {
      try step(.write) { () throws(Errno) in try file.writeAll(bytes) }
      try step(.synchronize) { () throws(Errno) in try file.synchronize() }
      let written = try step(.readBack) { () throws(Errno) in
        try Files.readWhole(temporary, limit: bytes.count)
      }
      guard constantTimeEqual(written.bytes, bytes) else {
        throw ReplacementError(.readBack, .inputOutput)
      }
      guard verify(written.bytes) else { throw ReplacementError(.verify, .inputOutput) }
      try step(.rename) { () throws(Errno) in try give(temporary, theName: path) }
    } catch {
      try? Files.remove(temporary)
      throw error
    }
    try step(.synchronizeFolder) { () throws(Errno) in try Files.synchronizeDirectory(folder) }
  }

  /// Renames without replacing: by a link, which fails where the name is taken, or, on file systems
  /// that have no links, after looking.
  private static func give(_ temporary: Path, theName path: Path) throws(Errno) {
    do throws(Errno) {
      try systemCall {
        unsafe temporary.withCString { from in unsafe path.withCString { unsafe link(from, $0) } }
      }
      try Files.remove(temporary)
    } catch  where error == .notPermitted || error == .notSupported {
      if (try? Files.status(of: path, followingLinks: false)) != nil { throw .exists }
      try Files.rename(temporary, to: path)
    }
  }

  /// Runs one step, and says which it was if it fails.
  private static func step<R: ~Copyable>(
    _ step: ReplacementError.Step, _ body: () throws(Errno) -> R
  ) throws(ReplacementError) -> R {
    do throws(Errno) { return try body() } catch { throw ReplacementError(step, error) }
  }
}
