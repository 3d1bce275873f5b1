import CLibcrypto

/// OpenSSL, which begins its life in this process here.
private enum Libcrypto {
  /// To be called before anything of OpenSSL's is used; from any thread, and as often as one likes.
  ///
  /// Its configuration is left unread, since it may take away ciphers that a vault needs, and have code
  /// loaded; and nothing is tidied up when the process ends, which gives its memory back as a whole. Both
  /// together took 0.3 ms of the 6 that a small vault of a cheap key takes (`docs/performance.md`).
  static func begin() { _ = hasBegun }

  private static let hasBegun: Bool = {
    let options = UInt64(OPENSSL_INIT_NO_LOAD_CONFIG) | UInt64(OPENSSL_INIT_NO_ATEXIT)
    demand(OPENSSL_init_crypto(options, nil), "begin")
    return true
  }()
}

/// Algorithms of OpenSSL, looked up once: a look-up costs more than hashing a small value.
///
/// OpenSSL hands them out to any thread, and they live until the process ends.
@safe
struct FetchedAlgorithm: @unchecked Sendable {
  let pointer: OpaquePointer

  /// `fetch` is a function of OpenSSL's, `name` what it knows the algorithm by.
  private init(
    _ name: StaticString,
    _ fetch: (OpaquePointer?, UnsafePointer<CChar>?, UnsafePointer<CChar>?) -> OpaquePointer?
  ) {
    Libcrypto.begin()
    let pointer = name.withUTF8Buffer { name in
      // A literal ends with a zero.
      unsafe name.withMemoryRebound(to: CChar.self) { unsafe fetch(nil, $0.baseAddress, nil) }
    }
    // A libcrypto without these isn't one that this program can run with.
    guard let pointer = unsafe pointer else {
      preconditionFailure("libcrypto has no \(name)")
    }
    unsafe self.pointer = pointer
  }

  static let sha1 = unsafe FetchedAlgorithm("SHA1", EVP_MD_fetch)
  static let sha256 = unsafe FetchedAlgorithm("SHA2-256", EVP_MD_fetch)
  static let sha512 = unsafe FetchedAlgorithm("SHA2-512", EVP_MD_fetch)
  static let hmac = unsafe FetchedAlgorithm("HMAC", EVP_MAC_fetch)
  static let aes256CBC = unsafe FetchedAlgorithm("AES-256-CBC", EVP_CIPHER_fetch)
  static let chaCha20 = unsafe FetchedAlgorithm("ChaCha20", EVP_CIPHER_fetch)
}

/// Stops the program where OpenSSL fails at what can only fail for want of memory.
func demand(_ result: CInt, _ what: StaticString) {
  precondition(result == 1, "libcrypto failed to \(what)")
}

extension Span<UInt8> {
  /// Lends the bytes to C; an empty span too has an address, since `NULL` often means something else.
  func withCBytes<R, E: Error>(
    _ body: (UnsafePointer<UInt8>, Int) throws(E) -> R
  ) throws(E) -> R {
    try unsafe withUnsafeBufferPointer { (buffer) throws(E) -> R in
      if let base = buffer.baseAddress { return try unsafe body(base, buffer.count) }
      var nothing: UInt8 = 0
      return try unsafe withUnsafePointer(to: &nothing) { (pointer) throws(E) -> R in
        try unsafe body(pointer, 0)
      }
    }
  }
}
