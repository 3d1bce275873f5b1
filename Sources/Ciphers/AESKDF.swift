import CNettle
package import Secrets

extension KeyDerivation {
  /// The AES-KDF of KDBX: both halves of `composite` enciphered `rounds` times with AES-256 under
  /// `seed`, then hashed with SHA-256.
  ///
  /// A call of nettle's a round reaches 0.85 of what the processor can do in a chain of rounds; one of
  /// OpenSSL's costs a tenth to a third more (`docs/performance.md`).
  ///
  /// - Precondition: `composite` and `seed` have 32 bytes.
  package static func aes(
    composite: Span<UInt8>, seed: Span<UInt8>, rounds: UInt64
  ) -> SecretBytes {
    precondition(composite.count == 32 && seed.count == 32, "AES-KDF is defined for 32 bytes")
    let transformed = SecretBytes(zeroed: 32) { halves in
      for i in composite.indices { halves[i] = composite[i] }
      unsafe halves.withUnsafeMutableBufferPointer { halves in
        unsafe seed.withCBytes { seed, _ in
          unsafe encipher(halves, under: seed, rounds: rounds)
        }
      }
    }
    var hash = SHA256()
    transformed.withBytes { hash.update($0) }
    return hash.finalizeSecret()
  }

  private static func encipher(
    _ halves: UnsafeMutableBufferPointer<UInt8>, under seed: UnsafePointer<UInt8>, rounds: UInt64
  ) {
    unsafe withNettleContext(aes256_ctx()) { context in
      unsafe nettle_aes256_set_encrypt_key(context, seed)
      let base = halves.baseAddress
      var left = rounds
      while left > 0 {
        unsafe nettle_aes256_encrypt(context, 32, base, base)
        left &-= 1
      }
    }
  }
}
