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
  /// What opening may cost: nothing vouches for the header until its key has been tried.
  package var limits = Limits.standard
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

  /// Keeps what it takes to see later whether the file is still the one that was read.
  package borrowing func remember() { file.remember(contents.bytes.bytes) }

  /// Opens the vault; takes as long as its key derivation does.
  ///
  /// With a key file or a hardware key and an empty password it is first tried as if there were no
  /// password, as other programs do (`docs/kdbx.md` 3.1); what opened it is what saves it. A file that
  /// was changed while a person looked for the password is read again.
  ///
  /// Where the vault wants answers to challenges too, `responder` gives them, now and at saves.
  package consuming func open(
    password: consuming SecretBytes?, keyFileKey: consuming SecretBytes?,
    responder: ChallengeResponder? = nil
  ) throws(SessionError) -> OpenedVault {
    let contents = file.looksChanged ? try VaultFile.read(file.path) : contents
    if file.isRemembered, contents.file !== file { contents.file.remember(contents.bytes.bytes) }
    return try Self.open(
      contents,
      with: UnlockKeys(password: password, keyFileKey: keyFileKey, responder: responder),
      limits: limits)
  }

  /// Opens what was read with the first of the keys that fits.
  static func open(
    _ contents: VaultFile.Contents, with keys: UnlockKeys, limits: Limits = .standard
  ) throws(SessionError) -> OpenedVault {
    do throws(KDBXError) {
      return try open(contents, with: keys.tries, limits: limits)
    } catch  where error.kind == .wrongKey && keys.tries.contains(where: { $0.responder != nil }) {
      throw SessionError(
        .wrongKey, "wrong password, key file or hardware key for \(contents.file.name)")
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
    _ contents: VaultFile.Contents, with keys: [CompositeKey], limits: Limits
  ) throws(KDBXError) -> OpenedVault {
    var keys = keys[...]
    while true {
      guard let key = keys.popFirst() else { throw KDBXError(.wrongKey, in: .keyDerivation) }
      do throws(KDBXError) {
        let opened = try KDBXFile.open(contents.bytes.bytes, with: key, limits: limits)
        return OpenedVault(file: contents.file, contents: opened, key: key)
      } catch {
        guard error.kind == .wrongKey, !keys.isEmpty else { throw error }
      }
    }
  }
}

/// What a vault may open with: composite keys, made of a password and a key file that are gone.
package final class UnlockKeys: Sendable {
  /// To be tried in this order; at least one.
  let tries: [CompositeKey]
  let passwordIsEmpty: Bool

  /// With a key file or a hardware key and an empty password the key without a password comes first, as
  /// other programs try it (`docs/kdbx.md` 3.1).
  package init(
    password: consuming SecretBytes?, keyFileKey: consuming SecretBytes?,
    responder: ChallengeResponder? = nil
  ) {
    var tries: [CompositeKey] = []
    var passwordIsEmpty = false
    func add(_ password: consuming SecretBytes?, _ keyFileKey: consuming SecretBytes?) {
      tries.append(
        CompositeKey(
          Credentials(password: password, keyFileKey: keyFileKey, responder: responder)))
    }
    if let password = password.take() {
      passwordIsEmpty = password.count == 0
      // A key file or a hardware key alone is a key; an empty password alone is not none.
      if let keyFileKey = keyFileKey.take() {
        if passwordIsEmpty { add(nil, keyFileKey.copy()) }
        add(password, keyFileKey)
      } else {
        if passwordIsEmpty, responder != nil { add(nil, nil) }
        add(password, nil)
      }
    } else {
      add(nil, keyFileKey)
    }
    self.tries = tries
    self.passwordIsEmpty = passwordIsEmpty
  }

  /// A key that has opened the vault before.
  init(_ key: CompositeKey) {
    tries = [key]
    passwordIsEmpty = false
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
