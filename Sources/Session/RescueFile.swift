import ByteCoding
import Ciphers
import KDBX
package import Platform
import Secrets

/// A complete vault in the state folder: the edits of a mount whose save failed.
///
/// Beside it lies `NAME.origin`, which says what it was made from, so that the next mount or unlock of
/// that vault finds it: the SHA-256 of the vault's file in hex, a line end, the vault's path.
package struct RescueFile: Hashable, Sendable {
  let path: Path

  private var origin: Path { Path(path.bytes + Self.suffix) }
  private static let suffix = Array(".origin".utf8)

  /// Writes a vault into the state folder; complete and on disk when it returns.
  static func write(
    _ bytes: Span<UInt8>, of file: VaultFile, at time: String, in folder: Path
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
    let made = file.rememberedDigest ?? []
    let digest = Hex.encode(made.span, uppercase: false)
    let origin = digest + [0x0A] + file.path.bytes
    do throws(ReplacementError) {
      try create(rescue.origin, origin.span)
    } catch {
      throw error.errno
    }
    return rescue
  }

  private static func create(_ path: Path, _ bytes: Span<UInt8>) throws(ReplacementError) {
    try AtomicReplacement.create(path, with: bytes, permissions: 0o600) { _ in true }
  }

  /// Removes it, once its edits are in the vault.
  func remove() {
    try? Files.remove(origin)
    try? Files.remove(path)
  }

  // MARK: - Finding it again

  /// What was found of a vault that was just opened: its edited document.
  struct Found: Sendable {
    let file: RescueFile
    let document: Document
  }

  /// The edits of an earlier mount, if they were made on what the vault holds now; says what it found.
  ///
  /// Others are said, and left where they are.
  static func find(
    for vault: OpenedVault, in folder: Path?, _ log: SessionLog
  ) -> Found? {
    for (file, digest) in all(of: vault.file, in: folder) {
      guard let contents = try? Files.readRegular(file.path) else { continue }
      let opened: OpenedFile
      do throws(KDBXError) {
        opened = try KDBXFile.open(contents.bytes, with: vault.key)
      } catch {
        log.warning(
          "edits of an earlier mount are in '\(file.path)', which doesn't open with this key")
        continue
      }
      guard digest == vault.file.rememberedDigest else {
        log.warning(
          "edits of an earlier mount are in '\(file.path)'; the vault has changed since then")
        continue
      }
      log.warning("edits of an earlier mount, kept in '\(file.path)', are taken up again")
      return Found(file: file, document: opened.document)
    }
    return nil
  }

  /// All that were made of a vault, the newest first, with the digest of what they were made from.
  private static func all(of file: VaultFile, in folder: Path?) -> [(RescueFile, [UInt8])] {
    guard let folder, let names = try? Files.names(in: folder) else { return [] }
    var found: [(RescueFile, [UInt8])] = []
    let sorted = names.sorted { $1.lexicographicallyPrecedes($0) }
    for name in sorted where name.count > suffix.count && name.suffix(suffix.count) == suffix[...] {
      let path = folder.appending(name)
      guard let text = try? Files.readWhole(path, limit: 8192) else { continue }
      let bytes = text.bytes.indices.map { text.bytes[$0] }
      guard let end = bytes.firstIndex(of: 0x0A), Path(bytes[(end + 1)...]) == file.path else {
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
