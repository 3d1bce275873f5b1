import ByteCoding
import Ciphers
package import Platform
import Secrets

/// A complete vault in the state folder: the edits of a mount whose save failed.
///
/// Beside it lie two more files. `NAME.base` is the vault that was edited, as it was last read or
/// written, under the same key: what a later merge takes for the base. `NAME.origin` says what it was
/// made from, so that the next mount or unlock of that vault finds it: the SHA-256 of the vault's file
/// in hex, a line end, the vault's path. It is written last and removed first: the others mean nothing
/// without it.
package struct RescueFile: Hashable, Sendable {
  let path: Path

  /// Where the vault that was edited lies, if there was room for it.
  var base: Path { Path(path.bytes + Array(".base".utf8)) }
  private var origin: Path { Path(path.bytes + Self.suffix) }
  private static let suffix = Array(".origin".utf8)

  // MARK: - Writing

  /// Writes a vault, and what it was made of, into the state folder; complete and on disk when it
  /// returns.
  static func write(
    _ bytes: Span<UInt8>, base: Span<UInt8>, of file: VaultFile, at time: String, in folder: Path
  ) throws(Errno) -> RescueFile {
    try Files.makeDirectories(folder)
    let name = Array("\(time)-".utf8) + file.path.lastComponent
    var rescue = RescueFile(path: folder.appending(name))
    var number = 2
    while true {
      do throws(ReplacementError) {
        try create(rescue.path, bytes)
        break
      } catch {
        guard error.errno == .exists, number < 100 else { throw error.errno }
        rescue = RescueFile(path: folder.appending(Array("\(time)-\(number)-".utf8) + name))
        number += 1
      }
    }
    // Where it can't be written, the edits are merged without it.
    if !base.isEmpty { try? create(rescue.base, base) }
    let made = file.rememberedDigest ?? []
    let digest = Hex.encode(made.span, uppercase: false)
    let origin = digest + [0x0A] + file.path.bytes
    do throws(ReplacementError) {
      try create(rescue.origin, origin.span)
    } catch {
      rescue.remove()
      throw error.errno
    }
    return rescue
  }

  private static func create(_ path: Path, _ bytes: Span<UInt8>) throws(ReplacementError) {
    try AtomicReplacement.create(path, with: bytes, permissions: 0o600) { _ in true }
  }

  /// Removes it, once its edits are in the vault.
  func remove() {
    for path in [origin, base, path] { try? Files.remove(path) }
  }

  // MARK: - Finding it again

  /// All that were made of the vault at `path`, the oldest first, with the digest of what they were
  /// made from.
  ///
  /// Links on the way to the vault make no difference, as long as they lead somewhere.
  static func all(of path: Path, in folder: Path?) -> [(file: RescueFile, digest: [UInt8])] {
    guard let folder, let names = try? Files.names(in: folder) else { return [] }
    let target = try? Files.resolveTarget(path)
    var found: [(RescueFile, [UInt8])] = []
    let sorted = names.sortedByBytes()
    for name in sorted where name.count > suffix.count && name.suffix(suffix.count) == suffix[...] {
      guard let text = try? Files.readWhole(folder.appending(name), limit: 8192) else { continue }
      let bytes = text.bytes.copied()
      guard let end = bytes.firstIndex(of: 0x0A) else { continue }
      let made = Path(bytes[(end + 1)...])
      guard made == path || (target != nil && (try? Files.resolveTarget(made)) == target) else {
        continue
      }
      let spelling = Array(bytes[..<end])
      guard let digest = Hex.decode(spelling.span) else { continue }
      found.append((RescueFile(path: folder.appending(name.dropLast(suffix.count))), digest))
    }
    return found
  }

  /// The folder for what must outlive the process: `${XDG_STATE_HOME:-~/.local/state}/kdbxfs`.
  package static var usualFolder: Path? {
    if let state = Process.environment("XDG_STATE_HOME"), state.first == UInt8(ascii: "/") {
      return Path(state).appending("kdbxfs")
    }
    if let home = Process.environment("HOME"), home.first == UInt8(ascii: "/") {
      return Path(home).appending(".local/state/kdbxfs")
    }
    return nil
  }
}
