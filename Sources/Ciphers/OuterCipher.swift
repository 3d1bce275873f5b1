import Secrets

/// Why a cipher refused its work.
package enum CipherError: Error, Hashable {
  /// The key hasn't the length that the cipher wants.
  case keyLength(Int)
  /// The IV hasn't the length that the cipher wants.
  case ivLength(Int)
  /// The input isn't a multiple of the block size; this many bytes were left over.
  case partialBlock(Int)
}

/// The cipher that a whole vault is enciphered with (`docs/kdbx.md`).
package enum OuterCipher: Hashable, Sendable, CaseIterable {
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

  /// The size of the blocks, in bytes: 1 where there are none.
  var blockSize: Int {
    switch self {
    case .aes256CBC, .twofish256CBC: 16
    case .chaCha20: 1
    }
  }

  /// The library's cipher, ready to run in one direction.
  func makeEngine(
    _ direction: CipherDirection, key: Span<UInt8>, iv: Span<UInt8>
  ) throws(CipherError) -> any CipherEngine {
    guard key.count == keySize else { throw .keyLength(key.count) }
    guard iv.count == ivSize else { throw .ivLength(iv.count) }
    switch self {
    case .aes256CBC: return EVPEngine(.aes256CBC, direction, key: key, iv: iv)
    case .twofish256CBC: return TwofishEngine(direction, key: key, iv: iv)
    case .chaCha20:
      // OpenSSL's IV begins with the block counter, which KDBX starts at 0.
      var whole = [UInt8](repeating: 0, count: 4)
      for i in iv.indices { whole.append(iv[i]) }
      return EVPEngine(.chaCha20, direction, key: key, iv: whole.span)
    }
  }
}

enum CipherDirection: Sendable {
  case encrypt, decrypt
}

/// A cipher of one of the libraries, with its key and the state of its chain.
protocol CipherEngine: AnyObject {
  /// Appends as many bytes as `input` has, which are whole blocks.
  func process(_ input: Span<UInt8>, into output: inout WipedBuffer)
}
