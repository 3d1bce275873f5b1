package import Secrets

/// Why a key couldn't be derived.
package enum KDFError: Error, Hashable {
  /// There isn't as much memory as the derivation wants.
  case outOfMemory(kibibytes: UInt32)
  /// The library refuses the parameters; its own code, for the log.
  case parameters(code: Int32)
}

/// The variants of Argon2 that KDBX knows.
package enum Argon2Variant: Hashable, Sendable {
  case d, id
}

/// Key derivation: makes guessing a password dear.
///
/// Costs are the caller's to limit *before* the call: they come from a file that nothing vouches for.
package enum KeyDerivation {
  /// Argon2 (RFC 9106), 32 bytes.
  ///
  /// Blocks for as long as the parameters ask for, on as many threads as there are lanes, up to 16.
  package static func argon2(
    _ variant: Argon2Variant, version: UInt32, password: Span<UInt8>, salt: Span<UInt8>,
    secret: Span<UInt8>, associatedData: Span<UInt8>, memoryKiB: UInt32, iterations: UInt32,
    lanes: UInt32
  ) throws(KDFError) -> SecretBytes { fatalError("not yet") }

  /// The AES-KDF of KDBX: both halves of `composite` enciphered `rounds` times under `seed`, then
  /// hashed.
  ///
  /// - Precondition: both have 32 bytes.
  package static func aes(
    composite: Span<UInt8>, seed: Span<UInt8>, rounds: UInt64
  ) -> SecretBytes { fatalError("not yet") }
}
