import Ciphers
import Secrets

/// What the key derivation made of a composite key, and the parameters, with their salt, that it
/// belongs to.
///
/// It is kept while a vault is mounted, so that a save needs no derivation (`docs/design.md` 4).
package final class DerivedKey: Sendable {
  package let parameters: KDFParameters
  /// 32 bytes.
  let bytes: SecretBytes

  /// Derives the key; blocks for as long as the parameters ask for.
  ///
  /// - Throws: `tooExpensive` before any work, if the parameters ask for more than `limits` allow.
  package init(
    from composite: CompositeKey, with parameters: KDFParameters, limits: Limits = .standard
  ) throws(KDBXError) {
    try parameters.check(against: limits)
    self.parameters = parameters
    bytes = try composite.bytes.withBytes { (composite) throws(KDBXError) in
      try parameters.derive(from: composite)
    }
  }

  /// The key of the outer cipher, under a file's master seed.
  func cipherKey(masterSeed: [UInt8]) -> SecretBytes {
    var hash = SHA256()
    hash.update(masterSeed.span)
    bytes.withBytes { hash.update($0) }
    return hash.finalizeSecret()
  }

  /// What the keys of KDBX 4's block codes come from, under a file's master seed.
  func macKey(masterSeed: [UInt8]) -> SecretBytes {
    var hash = SHA512()
    hash.update(masterSeed.span)
    bytes.withBytes { hash.update($0) }
    hash.update([1].span)
    return hash.finalizeSecret()
  }
}
