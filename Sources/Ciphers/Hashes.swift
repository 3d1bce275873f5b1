import CLibcrypto
package import Secrets

/// A running digest of OpenSSL's, with one owner.
@safe
struct DigestContext: ~Copyable {
  private let context: OpaquePointer
  private let digestCount: Int

  init(_ algorithm: FetchedAlgorithm, digestCount: Int) {
    guard let context = unsafe EVP_MD_CTX_new() else {
      preconditionFailure("no memory for a digest")
    }
    unsafe self.context = context
    self.digestCount = digestCount
    demand(unsafe EVP_DigestInit_ex2(context, algorithm.pointer, nil), "begin a digest")
  }

  deinit { unsafe EVP_MD_CTX_free(context) }

  mutating func update(_ bytes: Span<UInt8>) {
    unsafe bytes.withCBytes { base, count in
      unsafe demand(EVP_DigestUpdate(context, base, count), "go on with a digest")
    }
  }

  /// Writes the digest over `digestCount` bytes at `target`.
  private mutating func finalize(at target: UnsafeMutablePointer<UInt8>) {
    unsafe demand(EVP_DigestFinal_ex(context, target, nil), "end a digest")
  }

  mutating func finalize() -> [UInt8] {
    unsafe [UInt8](unsafeUninitializedCapacity: digestCount) { buffer, count in
      guard let base = buffer.baseAddress else { return }
      unsafe finalize(at: base)
      count = digestCount
    }
  }

  mutating func finalizeSecret() -> SecretBytes {
    SecretBytes(zeroed: digestCount) { span in
      unsafe span.withUnsafeMutableBufferPointer { buffer in
        guard let base = buffer.baseAddress else { return }
        unsafe finalize(at: base)
      }
    }
  }
}

/// SHA-256 (FIPS 180-4), fed in pieces.
package struct SHA256: ~Copyable {
  /// The size of a digest, in bytes.
  package static let digestCount = 32

  private var context = DigestContext(.sha256, digestCount: Self.digestCount)

  package init() {}

  package mutating func update(_ bytes: Span<UInt8>) { context.update(bytes) }

  /// The digest, for what is public.
  package consuming func finalize() -> [UInt8] { context.finalize() }

  /// The digest, for what is a key.
  package consuming func finalizeSecret() -> SecretBytes { context.finalizeSecret() }

  /// The digest of `bytes`, for what is public.
  package static func hash(_ bytes: Span<UInt8>) -> [UInt8] {
    var hash = SHA256()
    hash.update(bytes)
    return hash.finalize()
  }
}

/// SHA-512 (FIPS 180-4), fed in pieces.
package struct SHA512: ~Copyable {
  /// The size of a digest, in bytes.
  package static let digestCount = 64

  private var context = DigestContext(.sha512, digestCount: Self.digestCount)

  package init() {}

  package mutating func update(_ bytes: Span<UInt8>) { context.update(bytes) }

  /// The digest, for what is public.
  package consuming func finalize() -> [UInt8] { context.finalize() }

  /// The digest, for what is a key.
  package consuming func finalizeSecret() -> SecretBytes { context.finalizeSecret() }

  /// The digest of `bytes`, for what is public.
  package static func hash(_ bytes: Span<UInt8>) -> [UInt8] {
    var hash = SHA512()
    hash.update(bytes)
    return hash.finalize()
  }
}
