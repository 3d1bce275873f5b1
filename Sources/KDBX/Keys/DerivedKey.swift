import Ciphers
import Secrets

/// What the key derivation made of a composite key, and the parameters, with their salt, that it
/// belongs to.
///
/// It is kept while a vault is mounted, so that a save needs no derivation (`docs/editing.md`).
package final class DerivedKey: Sendable {
  package let parameters: KDFParameters
  /// 32 bytes.
  let bytes: SecretBytes
  /// In KDBX 3 what a hardware key answered to the master seed, where the vault wants that.
  let answer: SeedAnswer?

  /// Derives the key; blocks for as long as the parameters ask for, and in KDBX 4 for the answer to
  /// their salt, where there must be one.
  ///
  /// - Throws: `tooExpensive` before any work, if the parameters ask for more than `limits` allow.
  package convenience init(
    from composite: CompositeKey, with parameters: KDFParameters, limits: Limits = .standard
  ) throws(KDBXError) {
    guard composite.responder != nil, parameters.isOfVersion4 else {
      try self.init(from: composite.bytes, with: parameters, limits: limits)
      return
    }
    try parameters.check(against: limits)
    let answered = try composite.bytes(answering: parameters.salt)
    try self.init(from: answered, with: parameters, limits: limits)
  }

  /// Derives the key of 32 bytes.
  init(
    from composite: borrowing SecretBytes, with parameters: KDFParameters, limits: Limits
  ) throws(KDBXError) {
    try parameters.check(against: limits)
    self.parameters = parameters
    bytes = try composite.withBytes { (composite) throws(KDBXError) in
      try parameters.derive(from: composite)
    }
    answer = nil
  }

  private init(_ key: DerivedKey, answer: SeedAnswer?) {
    parameters = key.parameters
    bytes = key.bytes.copy()
    self.answer = answer
  }

  /// The same with an answer, for a KDBX 3 file of its master seed.
  func with(_ answer: SeedAnswer?) -> DerivedKey { DerivedKey(self, answer: answer) }

  /// Whether the key may be that of a file, as far as its parameters and its master seed tell.
  func fits(_ header: OuterHeader) -> Bool {
    guard header.kdf.derivesSameKey(as: parameters) else { return false }
    return answer == nil || answer?.seed == header.masterSeed
  }

  /// Whether both are the same key; takes as long whatever they are.
  package func matches(_ other: DerivedKey) -> Bool { bytes.matches(other.bytes) }

  /// The key of the outer cipher, under a file's master seed.
  func cipherKey(masterSeed: [UInt8]) -> SecretBytes {
    var hash = SHA256()
    hash.update(masterSeed.span)
    answer?.part.withBytes { hash.update($0) }
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
