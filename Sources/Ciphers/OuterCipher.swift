package import Secrets

/// Why a cipher refused its work.
package enum CipherError: Error, Hashable {
  /// The key hasn't the length that the cipher wants.
  case keyLength(Int)
  /// The IV hasn't the length that the cipher wants.
  case ivLength(Int)
  /// The input isn't a multiple of the block size; the number of bytes left over.
  case partialBlock(Int)
  /// The library failed for a reason of its own (no memory, a cipher that was configured away).
  case library
}

/// The cipher that a whole vault is enciphered with (`docs/format.md`).
package enum OuterCipher: Hashable, Sendable {
  case aes256CBC, chaCha20, twofish256CBC

  /// The size of the IV, in bytes.
  package var ivSize: Int {
    switch self {
    case .aes256CBC, .twofish256CBC: 16
    case .chaCha20: 12
    }
  }

  /// The size of the key, in bytes.
  package var keySize: Int { 32 }
}

/// Deciphers in pieces.
///
/// Bad padding at the end is tolerated, since old writers of Twofish made some: the last block then
/// goes out whole, and whoever reads the contents knows where they end.
package struct Decryptor: ~Copyable {
  package init(
    _ cipher: OuterCipher, key: Span<UInt8>, iv: Span<UInt8>
  ) throws(CipherError) { fatalError("not yet") }

  /// Appends what `input` gives; up to a block is held back.
  package mutating func update(
    _ input: Span<UInt8>, into output: inout WipedBuffer
  ) throws(CipherError) { fatalError("not yet") }

  /// Appends the rest, without its padding.
  package mutating func finish(into output: inout WipedBuffer) throws(CipherError) {
    fatalError("not yet")
  }
}

/// Enciphers in pieces, with PKCS#7 padding for the block ciphers.
package struct Encryptor: ~Copyable {
  package init(
    _ cipher: OuterCipher, key: Span<UInt8>, iv: Span<UInt8>
  ) throws(CipherError) { fatalError("not yet") }

  /// Appends what `input` gives; less than a block is held back.
  package mutating func update(
    _ input: Span<UInt8>, into output: inout WipedBuffer
  ) throws(CipherError) { fatalError("not yet") }

  /// Appends the last block.
  package mutating func finish(into output: inout WipedBuffer) throws(CipherError) {
    fatalError("not yet")
  }
}
