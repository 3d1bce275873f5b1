import Ciphers
package import KDBX
package import Platform
import Secrets

/// Makes new vaults, and gives old ones new keys.
package enum VaultCreation {
  /// Writes a new, empty vault, which mustn't be there yet; `name` is what it says it is called.
  ///
  /// On failure there is nothing.
  package static func create(
    _ path: Path, name: [UInt8], key: CompositeKey, _ parameters: KDFParameters
  ) throws(SessionError) {
    let document = Document.new(name: name, at: now)
    var output = WipedBuffer()
    let derived: DerivedKey
    do throws(KDBXError) {
      derived = try KDBXFile.write(
        document, as: .new(.aes256CBC, parameters), newKey: key, parameters, into: &output)
    } catch {
      throw SessionError(writing: error)
    }
    do throws(ReplacementError) {
      try AtomicReplacement.create(path, with: output.bytes, permissions: 0o600) { bytes in
        (try? KDBXFile.verify(bytes, key: derived, against: document)) != nil
      }
    } catch {
      throw SessionError(
        .unwritable, "'\(path)' can't be made: \(error.errno)",
        hints: error.errno == .exists ? ["kdbxfs overwrites no file"] : [],
        errnoValue: error.errno.rawValue)
    }
  }

  /// Writes a vault under a new key, and with other parameters if they are given.
  ///
  /// The old file is there until the new one has been read back and opened with the new key; on failure,
  /// and if it was changed meanwhile, it stays as it is.
  package static func rekey(
    _ vault: OpenedVault, to key: CompositeKey, _ parameters: KDFParameters?
  ) throws(SessionError) {
    var document = vault.document
    document.meta.noteNewKey(at: now)
    var output = WipedBuffer()
    let derived: DerivedKey
    do throws(KDBXError) {
      derived = try KDBXFile.write(
        document, as: vault.header, newKey: key, parameters ?? vault.header.kdf.withFreshSalt(),
        after: vault.contents.key, into: &output)
    } catch {
      if case .noAnswer = error.kind { throw SessionError(error, opening: vault.file.path) }
      throw SessionError(writing: error)
    }
    let isReplaced = try vault.file.replace(with: output.bytes) { bytes in
      (try? KDBXFile.verify(bytes, key: derived, against: document)) != nil
    }
    guard isReplaced else {
      throw SessionError(
        .conflict, "\(vault.file.name) was changed by another program meanwhile",
        hints: ["it was left alone, with its old key"])
    }
  }

  private static var now: VaultTime { VaultTime(unixSeconds: Clock.wall().seconds) }
}
