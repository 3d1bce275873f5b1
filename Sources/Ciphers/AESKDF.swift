import CLibcrypto
package import Secrets

extension KeyDerivation {
  /// The AES-KDF of KDBX: both halves of `composite` enciphered `rounds` times with AES-256 under
  /// `seed`, then hashed with SHA-256.
  ///
  /// One call of OpenSSL a round reaches 0.85 of what the processor can do in a chain of rounds.
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
    guard let context = unsafe EVP_CIPHER_CTX_new() else {
      preconditionFailure("no memory for AES")
    }
    defer { unsafe EVP_CIPHER_CTX_free(context) }
    let aes = unsafe FetchedAlgorithm.aes256ECB.pointer
    demand(unsafe EVP_EncryptInit_ex2(context, aes, seed, nil, nil), "begin AES")
    demand(unsafe EVP_CIPHER_CTX_set_padding(context, 0), "begin AES")
    let base = halves.baseAddress
    var written: CInt = 0
    var left = rounds
    while left > 0 {
      demand(unsafe EVP_EncryptUpdate(context, base, &written, base, 32), "go on with AES")
      left &-= 1
    }
  }
}
