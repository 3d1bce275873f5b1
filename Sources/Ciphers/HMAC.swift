import CLibcrypto

/// HMAC (RFC 2104), fed in pieces.
@safe
package struct HMAC: ~Copyable {
  package enum Algorithm: Hashable, Sendable {
    case sha1, sha256, sha512

    /// The size of a code, in bytes.
    package var codeCount: Int {
      switch self {
      case .sha1: 20
      case .sha256: 32
      case .sha512: 64
      }
    }

    /// OpenSSL's name of the hash.
    fileprivate var name: StaticString {
      switch self {
      case .sha1: "SHA1"
      case .sha256: "SHA2-256"
      case .sha512: "SHA2-512"
      }
    }
  }

  /// OpenSSL's name of the parameter that names the hash.
  private static let digest: StaticString = "digest"

  private let context: OpaquePointer
  private let codeCount: Int

  /// Begins under `key`, of any length.
  package init(_ algorithm: Algorithm, key: Span<UInt8>) {
    guard let context = unsafe EVP_MAC_CTX_new(FetchedAlgorithm.hmac.pointer) else {
      preconditionFailure("no memory for a HMAC")
    }
    unsafe self.context = context
    codeCount = algorithm.codeCount
    algorithm.name.withUTF8Buffer { name in
      // SAFETY: a static string ends in a NUL; OpenSSL copies what it needs of the parameters.
      unsafe withUnsafeTemporaryAllocation(of: OSSL_PARAM.self, capacity: 2) { parameters in
        let text = unsafe UnsafeMutableRawPointer(mutating: name.baseAddress)?
          .assumingMemoryBound(to: CChar.self)
        // The parameter keeps the pointer to its own name; a `String` would lend one for the call.
        let field = unsafe UnsafeRawPointer(Self.digest.utf8Start)
          .assumingMemoryBound(to: CChar.self)
        unsafe parameters[0] = OSSL_PARAM_construct_utf8_string(field, text, 0)
        unsafe parameters[1] = OSSL_PARAM_construct_end()
        unsafe Self.begin(context, key: key, parameters: parameters.baseAddress)
      }
    }
  }

  deinit { unsafe EVP_MAC_CTX_free(context) }

  /// Forgets what was fed and begins anew under another key: for the many blocks of a file.
  package mutating func restart(key: Span<UInt8>) {
    unsafe Self.begin(context, key: key, parameters: nil)
  }

  package mutating func update(_ bytes: Span<UInt8>) {
    unsafe bytes.withCBytes { base, count in
      unsafe demand(EVP_MAC_update(context, base, count), "go on with a HMAC")
    }
  }

  /// Gives the code and ends this use; ``restart(key:)`` begins the next.
  package mutating func code() -> [UInt8] {
    unsafe [UInt8](unsafeUninitializedCapacity: codeCount) { buffer, count in
      unsafe demand(EVP_MAC_final(context, buffer.baseAddress, &count, codeCount), "end a HMAC")
    }
  }

  package consuming func finalize() -> [UInt8] { code() }

  /// The code of one piece.
  package static func code(
    of bytes: Span<UInt8>, _ algorithm: Algorithm, key: Span<UInt8>
  ) -> [UInt8] {
    var hmac = HMAC(algorithm, key: key)
    hmac.update(bytes)
    return hmac.code()
  }

  private static func begin(
    _ context: OpaquePointer, key: Span<UInt8>, parameters: UnsafePointer<OSSL_PARAM>?
  ) {
    unsafe key.withCBytes { base, count in
      unsafe demand(EVP_MAC_init(context, base, count, parameters), "begin a HMAC")
    }
  }
}
