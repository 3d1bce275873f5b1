package import KDBX
package import Platform
package import Secrets

/// A vault that was read and looks sound as far as can be told without its key.
///
/// The first half of opening: a person is asked for a password only after everything else that can
/// fail has been tried.
package struct VaultCandidate: ~Copyable, Sendable {
  /// What was read.
  let contents: VaultFile.Contents
  /// What the file says about itself; nothing vouches for it yet.
  package let header: OuterHeader
  var file: VaultFile { contents.file }

  /// Reads the file and checks all that needs no key.
  package init(_ path: Path) throws(SessionError) {
    let contents = try VaultFile.read(path)
    do throws(KDBXError) {
      header = try KDBXFile.header(of: contents.bytes.bytes)
    } catch {
      throw SessionError(error, opening: path)
    }
    self.contents = contents
  }

  /// Opens the vault; takes as long as its key derivation does.
  ///
  /// With a key file and an empty password it is first tried as if there were no password, as other
  /// programs do (`docs/kdbx.md` 3.1); what opened it is what saves it. A file that was changed while
  /// a person looked for the password is read again.
  package consuming func open(
    password: consuming SecretBytes?, keyFileKey: consuming SecretBytes?
  ) throws(SessionError) -> OpenedVault {
    let contents = file.looksChanged ? try VaultFile.read(file.path) : contents
    if file.isRemembered, contents.file !== file { contents.file.remember(contents.bytes.bytes) }
    let keys = Self.keys(password: password, keyFileKey: keyFileKey)
    do throws(KDBXError) {
      return try Self.open(contents, with: keys.tries)
    } catch  where error.kind == .wrongKey && keys.passwordIsEmpty {
      throw SessionError(
        .emptyPassword, "the password is empty, and that doesn't open \(contents.file.name)",
        hints: ["--no-password is for a vault that has a key file only"])
    } catch {
      throw SessionError(error, opening: contents.file.path)
    }
  }

  /// Opens with the first of the keys that fits.
  private static func open(
    _ contents: VaultFile.Contents, with keys: [CompositeKey]
  ) throws(KDBXError) -> OpenedVault {
    var keys = keys[...]
    while true {
      guard let key = keys.popFirst() else { throw KDBXError(.wrongKey, in: .keyDerivation) }
      do throws(KDBXError) {
        let opened = try KDBXFile.open(contents.bytes.bytes, with: key)
        return OpenedVault(file: contents.file, contents: opened, key: key)
      } catch {
        guard error.kind == .wrongKey, !keys.isEmpty else { throw error }
      }
    }
  }

  /// The composite keys to try, in this order; at least one.
  private static func keys(
    password: consuming SecretBytes?, keyFileKey: consuming SecretBytes?
  ) -> (tries: [CompositeKey], passwordIsEmpty: Bool) {
    var tries: [CompositeKey] = []
    var passwordIsEmpty = false
    if let password = password.take() {
      passwordIsEmpty = password.count == 0
      if let keyFileKey = keyFileKey.take() {
        if passwordIsEmpty {
          tries.append(
            CompositeKey(Credentials(password: nil, keyFileKey: keyFileKey.copy())))
        }
        tries.append(CompositeKey(Credentials(password: password, keyFileKey: keyFileKey)))
      } else {
        tries.append(CompositeKey(Credentials(password: password, keyFileKey: nil)))
      }
    } else {
      tries.append(CompositeKey(Credentials(password: nil, keyFileKey: keyFileKey)))
    }
    return (tries, passwordIsEmpty)
  }
}

/// A vault that was opened, with what saving it takes.
package struct OpenedVault: Sendable {
  let file: VaultFile
  let contents: OpenedFile
  let key: CompositeKey

  /// The header, which the key now vouches for.
  package var header: OuterHeader { contents.header }
  package var document: Document { contents.document }
}
