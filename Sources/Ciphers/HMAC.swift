/// HMAC (RFC 2104), fed in pieces.
package struct HMAC: ~Copyable {
  package enum Algorithm: Hashable, Sendable {
    case sha1, sha256, sha512
  }

  package init(_ algorithm: Algorithm, key: Span<UInt8>) { fatalError("not yet") }

  /// Forgets what was fed and begins anew under another key.
  ///
  /// A twentieth of the cost of a new value, for the many blocks of a file.
  package mutating func restart(key: Span<UInt8>) { fatalError("not yet") }

  package mutating func update(_ bytes: Span<UInt8>) { fatalError("not yet") }

  /// Gives the code and ends this use; ``restart(key:)`` begins the next.
  package mutating func code() -> [UInt8] { fatalError("not yet") }

  package consuming func finalize() -> [UInt8] { fatalError("not yet") }
}
