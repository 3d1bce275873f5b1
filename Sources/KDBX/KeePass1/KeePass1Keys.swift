import Ciphers
import Secrets

/// How KeePass 1 makes a key of a password and a key file (`docs/kdbx.md` 11).
enum KeePass1Keys {
  /// The keys to try, in this order: the password in Windows-1252, as KeePass 1 has it, in Latin-1 and
  /// in UTF-8, as other programs wrote it; one where all are the same.
  static func all(of credentials: borrowing Credentials) -> [SharedSecret] {
    switch credentials.password {
    case .none:
      switch credentials.keyFileKey {
      case .some(let key): return [SharedSecret(key.copy())]
      case .none: return [SharedSecret(SHA256.secretHash([UInt8]().span))]
      }
    case .some(let password):
      var keys: [SharedSecret] = []
      func add(_ form: borrowing SecretBytes, _ keyFileKey: borrowing SecretBytes?) {
        let key = form.withBytes { Self.key(ofPassword: $0, keyFileKey) }
        if !keys.contains(where: { $0.bytes.matches(key) }) { keys.append(SharedSecret(key)) }
      }
      for form in Windows1252.Form.allCases {
        if let encoded = password.withBytes({ Windows1252.encode($0, as: form) }) {
          add(encoded, credentials.keyFileKey)
        }
      }
      add(password, credentials.keyFileKey)
      return keys
    }
  }

  private static func key(
    ofPassword password: Span<UInt8>, _ keyFileKey: borrowing SecretBytes?
  ) -> SecretBytes {
    let digest = SHA256.secretHash(password)
    switch keyFileKey {
    case .none: return digest
    case .some(let keyFileKey):
      var hash = SHA256()
      digest.withBytes { hash.update($0) }
      keyFileKey.withBytes { hash.update($0) }
      return hash.finalizeSecret()
    }
  }
}
