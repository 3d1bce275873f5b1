package import KDBX
package import Platform
import Secrets

extension OpenedVault {
  /// Looks for everything about the vault that programs refuse, garble or lose; changes nothing.
  ///
  /// A file that has changed since it was opened is not looked at.
  package func examine() throws(SessionError) -> VaultExamination {
    let bytes = try file.readAgain()
    do throws(KDBXError) {
      return try KDBXFile.examine(bytes.bytes, contents)
    } catch {
      throw SessionError(error, opening: file.path)
    }
  }

  /// Writes the mended vault in the place of the old one, which is kept beside it; gives the path of
  /// the old one.
  ///
  /// The caller holds the lock of the vault's one writer. The copy of the old file is on the disk
  /// before anything is replaced; on failure the old file is whole.
  package func repair(_ examination: VaultExamination) throws(SessionError) -> Path {
    var output = WipedBuffer()
    let derived: DerivedKey
    do throws(KDBXError) {
      derived = try KDBXFile.writeMended(
        examination, of: contents, key: key, into: &output)
    } catch {
      throw SessionError(writing: error)
    }
    let old = try file.keepCopy(named: "before-repair-\(VaultSession.stamp(Clock.wall()))")
    let mended = examination.mended
    let isReplaced = try file.replace(with: output.bytes) { bytes in
      (try? KDBXFile.verify(bytes, key: derived, against: mended)) != nil
    }
    guard isReplaced else { throw file.changedNow() }
    return old
  }

  /// Opens the file as it is now, with the key that opened it before.
  package func reopened() throws(SessionError) -> OpenedVault {
    let contents = try VaultFile.read(file.path)
    do throws(KDBXError) {
      let opened = try KDBXFile.open(contents.bytes.bytes, with: key)
      contents.file.remember(contents.bytes.bytes)
      return OpenedVault(file: contents.file, contents: opened, key: key)
    } catch {
      throw SessionError(error, opening: file.path)
    }
  }
}

extension VaultFile {
  /// Reads the file again, which must be what it was.
  func readAgain() throws(SessionError) -> SharedBuffer {
    let now = try Self.read(path)
    guard holds(now.bytes.bytes) else { throw changedNow() }
    return now.bytes
  }

  /// What to say when another program was quicker.
  func changedNow() -> SessionError {
    SessionError(
      .unreadable, "\(name) was changed by another program just now", hints: ["try again"])
  }

  /// Makes a copy of the file beside it, with `tag` in its name, and gives its path.
  func keepCopy(named tag: String) throws(SessionError) -> Path {
    let bytes = try readAgain()
    let target = try path(beside: tag)
    try Self.create(
      target, with: bytes.bytes, permissions: status.permissions,
      verify: { constantTimeEqual($0, bytes.bytes) })
    return target
  }

  /// `NAME.TAG.kdbx` in the folder where the file itself lies, links followed.
  private func path(beside tag: String) throws(SessionError) -> Path {
    let real: Path
    do throws(Errno) {
      real = try Files.resolve(path)
    } catch {
      throw SessionError(error, reading: path)
    }
    var stem = real.lastComponent
    let suffix = Array(".kdbx".utf8)
    if stem.count > suffix.count, stem.suffix(suffix.count).elementsEqual(suffix) {
      stem.removeLast(suffix.count)
    }
    return real.parent.appending(stem + Array(".\(tag).kdbx".utf8))
  }
}
