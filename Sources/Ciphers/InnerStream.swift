import Secrets

/// The key stream that protected values are enciphered with inside the document.
///
/// It can be entered at any offset, from any thread.
package final class InnerStream: Sendable {
  /// The numbers of the format (`docs/kdbx.md`, the inner stream).
  package enum Kind: UInt32, Hashable, Sendable {
    case none = 0
    case arcFourVariant = 1
    case salsa20 = 2
    case chaCha20 = 3
  }

  private enum Engine: Sendable {
    case none
    case arcFourVariant(ArcFourVariant)
    case salsa20(key: SharedSecret)
    case chaCha20(keyAndNonce: SharedSecret)
  }

  package let kind: Kind
  private let engine: Engine

  /// Salsa20's nonce is the same in every file.
  private static let salsa20Nonce: [UInt8] = [0xE8, 0x30, 0x09, 0x4B, 0x97, 0x20, 0x5D, 0x2A]

  /// Derives the stream's own key from `key`, which the caller overwrites.
  ///
  /// - Precondition: for ArcFourVariant `key` isn't empty.
  package init(_ kind: Kind, key: Span<UInt8>) {
    self.kind = kind
    switch kind {
    case .none:
      engine = .none
    case .arcFourVariant:
      engine = .arcFourVariant(ArcFourVariant(key: key))
    case .salsa20:
      var hash = SHA256()
      hash.update(key)
      engine = .salsa20(key: SharedSecret(hash.finalizeSecret()))
    case .chaCha20:
      var hash = SHA512()
      hash.update(key)
      engine = .chaCha20(keyAndNonce: SharedSecret(hash.finalizeSecret()))
    }
  }

  /// Combines `bytes` with the key stream from `offset` on: enciphers plain text and deciphers the
  /// other kind.
  package func apply(at offset: UInt64, to bytes: inout MutableSpan<UInt8>) {
    switch engine {
    case .none: break
    case .arcFourVariant(let stream):
      stream.apply(at: Int(offset), to: &bytes)
    case .salsa20(let key):
      let nonce = Self.salsa20Nonce
      key.bytes.withBytes { Salsa20.apply(key: $0, nonce: nonce.span, at: offset, to: &bytes) }
    case .chaCha20(let secret):
      secret.bytes.withBytes { secret in
        ChaCha20.apply(
          key: secret.extracting(0..<ChaCha20.keyCount),
          nonce: secret.extracting(ChaCha20.keyCount..<ChaCha20.keyCount + ChaCha20.nonceCount),
          at: offset, to: &bytes)
      }
    }
  }
}
