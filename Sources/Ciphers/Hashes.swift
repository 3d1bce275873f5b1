package import Secrets

/// SHA-256 (FIPS 180-4), fed in pieces.
package struct SHA256: ~Copyable {
  /// The size of a digest, in bytes.
  package static let digestCount = 32

  package init() { fatalError("not yet") }

  package mutating func update(_ bytes: Span<UInt8>) { fatalError("not yet") }

  /// The digest, for what is public.
  package consuming func finalize() -> [UInt8] { fatalError("not yet") }

  /// The digest, for what is a key.
  package consuming func finalizeSecret() -> SecretBytes { fatalError("not yet") }

  package static func hash(_ bytes: Span<UInt8>) -> [UInt8] { fatalError("not yet") }
}

/// SHA-512 (FIPS 180-4), fed in pieces.
package struct SHA512: ~Copyable {
  /// The size of a digest, in bytes.
  package static let digestCount = 64

  package init() { fatalError("not yet") }

  package mutating func update(_ bytes: Span<UInt8>) { fatalError("not yet") }

  /// The digest, for what is public.
  package consuming func finalize() -> [UInt8] { fatalError("not yet") }

  /// The digest, for what is a key.
  package consuming func finalizeSecret() -> SecretBytes { fatalError("not yet") }

  package static func hash(_ bytes: Span<UInt8>) -> [UInt8] { fatalError("not yet") }
}
