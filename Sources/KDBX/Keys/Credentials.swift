import Ciphers
package import Secrets

/// What a person has to open a vault with.
///
/// A password that is absent isn't the empty password: the two make different keys.
package struct Credentials: ~Copyable, Sendable {
  let password: SecretBytes?
  let keyFileKey: SecretBytes?
  let responder: ChallengeResponder?

  /// - Parameters:
  ///   - password: its UTF-8 bytes, taken as they are; nil if there is none.
  ///   - keyFileKey: what ``KeyFile/key(from:)`` made of the key file; nil if there is none.
  ///   - responder: what answers challenges, where the vault wants that too.
  package init(
    password: consuming SecretBytes?, keyFileKey: consuming SecretBytes?,
    responder: ChallengeResponder? = nil
  ) {
    self.password = password
    self.keyFileKey = keyFileKey
    self.responder = responder
  }
}

/// The key that all of a person's credentials make together (`docs/kdbx.md` 3.1); the key derivation
/// starts from it.
///
/// Where a challenge must be answered too, that is asked for with each challenge.
package final class CompositeKey: Sendable {
  /// What password and key file put into the key, one behind the other.
  private let parts: SecretBytes
  /// The key without an answer, 32 bytes.
  let bytes: SecretBytes
  /// The keys that KeePass 1 may have made of them: one for each form of the password.
  let keePass1Keys: [SharedSecret]
  /// What answers challenges, if the vault wants that.
  package let responder: ChallengeResponder?

  /// A key whose parts were kept aside (``withParts(ofKeePass1:_:)``), of a vault of either kind; what
  /// answers challenges is not among them.
  package init(restoring parts: consuming SecretBytes, responder: ChallengeResponder?) {
    bytes = parts.withBytes { SHA256.secretHash($0) }
    keePass1Keys = parts.withBytes { parts in
      var keys: [SharedSecret] = []
      var start = 0
      while parts.count - start >= SHA256.digestCount {
        let end = start + SHA256.digestCount
        keys.append(SharedSecret(SecretBytes(copying: parts.extracting(start..<end))))
        start = end
      }
      return keys
    }
    self.parts = parts
    self.responder = responder
  }

  /// Lends what password and key file put into the key, to be kept aside: hashes, never the password.
  ///
  /// For a vault of KeePass 1 these are its keys, one behind the other: the hash of a password in UTF-8
  /// says nothing of the other forms.
  package func withParts<E: Error>(
    ofKeePass1 isKeePass1: Bool, _ body: (borrowing SecretBytes) throws(E) -> Void
  ) throws(E) {
    guard isKeePass1 else { return try body(parts) }
    var keys = WipedBuffer(capacity: keePass1Keys.count * SHA256.digestCount)
    for key in keePass1Keys { key.bytes.withBytes { keys.append($0) } }
    try body(SecretBytes(copying: keys.bytes))
  }

  package init(_ credentials: borrowing Credentials) {
    var parts = WipedBuffer(capacity: 64)
    switch credentials.password {
    case .some(let password):
      let digest = password.withBytes { SHA256.secretHash($0) }
      digest.withBytes { parts.append($0) }
    case .none: break
    }
    switch credentials.keyFileKey {
    case .some(let key): key.withBytes { parts.append($0) }
    case .none: break
    }
    bytes = SHA256.secretHash(parts.bytes)
    self.parts = SecretBytes(copying: parts.bytes)
    keePass1Keys = KeePass1Keys.all(of: credentials)
    responder = credentials.responder
  }

  /// The key with the answer to `challenge` as its last part.
  func bytes(answering challenge: [UInt8]) throws(KDBXError) -> SecretBytes {
    guard let responder else { return bytes.copy() }
    let answer = try responder.part(for: challenge, .opening)
    var hash = SHA256()
    parts.withBytes { hash.update($0) }
    answer.withBytes { hash.update($0) }
    return hash.finalizeSecret()
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
