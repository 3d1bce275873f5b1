import CLibcrypto

/// Algorithms of OpenSSL, looked up once: a look-up costs more than hashing a small value.
///
/// OpenSSL hands them out to any thread, and they live until the process ends.
@safe
struct FetchedAlgorithm: @unchecked Sendable {
  let pointer: OpaquePointer

  private init(_ pointer: OpaquePointer?, _ name: StaticString) {
    // A libcrypto without these isn't one that this program can run with.
    guard let pointer = unsafe pointer else {
      preconditionFailure("libcrypto has no \(name)")
    }
    unsafe self.pointer = pointer
  }

  static let sha1 = unsafe FetchedAlgorithm(EVP_MD_fetch(nil, "SHA1", nil), "SHA-1")
  static let sha256 = unsafe FetchedAlgorithm(EVP_MD_fetch(nil, "SHA2-256", nil), "SHA-256")
  static let sha512 = unsafe FetchedAlgorithm(EVP_MD_fetch(nil, "SHA2-512", nil), "SHA-512")
  static let hmac = unsafe FetchedAlgorithm(EVP_MAC_fetch(nil, "HMAC", nil), "HMAC")
  static let aes256CBC = unsafe FetchedAlgorithm(
    EVP_CIPHER_fetch(nil, "AES-256-CBC", nil), "AES-256-CBC")
  static let chaCha20 = unsafe FetchedAlgorithm(
    EVP_CIPHER_fetch(nil, "ChaCha20", nil), "ChaCha20")
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
