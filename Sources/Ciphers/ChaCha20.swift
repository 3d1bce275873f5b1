import CLibcrypto
import CNettle

/// The key stream of ChaCha20 (RFC 8439), entered at any offset.
enum ChaCha20 {
  static let keyCount = 32
  static let nonceCount = 12

  /// Up to so many bytes nettle is quicker: OpenSSL is through with more bytes in a second, but takes a
  /// microsecond and a half to make a context, find the cipher in it and free it (`docs/performance.md`).
  private static let fewBytes = 1024

  /// Combines `count` bytes at `source` with the key stream from `offset` on, into `target`, which may
  /// be `source`.
  ///
  /// - Precondition: the stream, 256 GiB, isn't left.
  static func process(
    key: Span<UInt8>, nonce: Span<UInt8>, at offset: UInt64,
    from source: UnsafePointer<UInt8>, to target: UnsafeMutablePointer<UInt8>, count: Int
  ) {
    checkSizes(key: key, nonce: nonce, at: offset, count: count)
    guard let context = unsafe EVP_CIPHER_CTX_new() else {
      preconditionFailure("no memory for a cipher")
    }
    // A context for each call: the key lies in it no longer than this.
    defer { unsafe EVP_CIPHER_CTX_free(context) }

    // OpenSSL's IV begins with the number of the block, little-endian.
    var iv = [16 of UInt8](repeating: 0)
    for i in 0..<4 { iv[i] = UInt8(truncatingIfNeeded: offset >> UInt64(6 + 8 * i)) }
    for i in nonce.indices { iv[4 + i] = nonce[i] }
    unsafe key.withCBytes { key, _ in
      unsafe iv.span.withCBytes { iv, _ in
        demand(
          unsafe EVP_EncryptInit_ex2(context, FetchedAlgorithm.chaCha20.pointer, key, iv, nil),
          "begin ChaCha20")
      }
    }

    var written: CInt = 0
    let skipped = CInt(offset % 64)
    if skipped > 0 {
      unsafe withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 64) { scratch in
        unsafe scratch.initialize(repeating: 0)
        let base = scratch.baseAddress
        demand(unsafe EVP_EncryptUpdate(context, base, &written, base, skipped), "seek")
      }
    }
    var done = 0
    while done < count {
      let piece = min(count - done, 1 << 30)
      demand(
        unsafe EVP_EncryptUpdate(context, target + done, &written, source + done, CInt(piece)),
        "go on with ChaCha20")
      done += piece
    }
  }

  /// Combines `bytes` with the key stream where they are.
  ///
  /// - Precondition: the stream, 256 GiB, isn't left.
  static func apply(
    key: Span<UInt8>, nonce: Span<UInt8>, at offset: UInt64, to bytes: inout MutableSpan<UInt8>
  ) {
    if bytes.count <= fewBytes {
      return applyToFew(key: key, nonce: nonce, at: offset, to: &bytes)
    }
    unsafe bytes.withUnsafeMutableBufferPointer { buffer in
      guard let base = buffer.baseAddress else { return }
      unsafe process(
        key: key, nonce: nonce, at: offset, from: base, to: base, count: buffer.count)
    }
  }

  private static func applyToFew(
    key: Span<UInt8>, nonce: Span<UInt8>, at offset: UInt64, to bytes: inout MutableSpan<UInt8>
  ) {
    checkSizes(key: key, nonce: nonce, at: offset, count: bytes.count)
    let (block, skipped) = offset.quotientAndRemainder(dividingBy: UInt64(KeyStreamBlocks.count))
    unsafe withNettleContext(chacha_ctx()) { context in
      unsafe key.withCBytes { key, _ in unsafe nettle_chacha_set_key(context, key) }
      unsafe nonce.withCBytes { nonce, _ in unsafe nettle_chacha_set_nonce96(context, nonce) }
      // The word of the block's number; nettle's function for it would want its bytes.
      unsafe context.pointee.state.12 = UInt32(truncatingIfNeeded: block)
      unsafe KeyStreamBlocks.apply(to: &bytes, skipping: Int(skipped)) { count, place in
        unsafe nettle_chacha_crypt32(context, count, place, place)
      }
    }
  }

  private static func checkSizes(
    key: Span<UInt8>, nonce: Span<UInt8>, at offset: UInt64, count: Int
  ) {
    precondition(key.count == keyCount && nonce.count == nonceCount, "not ChaCha20's sizes")
    precondition(
      offset <= 1 << 38 && UInt64(count) <= 1 << 38 - offset, "past the end of a key stream")
  }
}
