import Ciphers
package import Secrets

/// What a person has to open a vault with.
///
/// A password that is absent isn't the empty password: the two make different keys.
package struct Credentials: ~Copyable, Sendable {
  let password: SecretBytes?
  let keyFileKey: SecretBytes?

  /// - Parameters:
  ///   - password: its UTF-8 bytes, taken as they are; nil if there is none.
  ///   - keyFileKey: what ``KeyFile/key(from:)`` made of the key file; nil if there is none.
  package init(password: consuming SecretBytes?, keyFileKey: consuming SecretBytes?) {
    self.password = password
    self.keyFileKey = keyFileKey
  }
}

/// The key that all of a person's credentials make together (`docs/kdbx.md` 3.1); the key derivation
/// starts from it.
package final class CompositeKey: Sendable {
  /// 32 bytes.
  let bytes: SecretBytes

  package init(_ credentials: borrowing Credentials) {
    var hash = SHA256()
    switch credentials.password {
    case .some(let password):
      let digest = password.withBytes { SHA256.secretHash($0) }
      digest.withBytes { hash.update($0) }
    case .none: break
    }
    switch credentials.keyFileKey {
    case .some(let key): key.withBytes { hash.update($0) }
    case .none: break
    }
    bytes = hash.finalizeSecret()
  }
}

extension SHA256 {
  /// The digest of `bytes`, for what is a key.
  static func secretHash(_ bytes: Span<UInt8>) -> SecretBytes {
    var hash = SHA256()
    hash.update(bytes)
    return hash.finalizeSecret()
  }
}
