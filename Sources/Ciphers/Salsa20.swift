import CNettle

/// The key stream of Salsa20 (20 rounds, 256-bit key), entered at any offset.
enum Salsa20 {
  static let keyCount = 32
  static let nonceCount = 8

  /// Combines `bytes` with the key stream from `offset` on, where they are.
  static func apply(
    key: Span<UInt8>, nonce: Span<UInt8>, at offset: UInt64, to bytes: inout MutableSpan<UInt8>
  ) {
    precondition(key.count == keyCount && nonce.count == nonceCount, "not Salsa20's sizes")
    let (block, skipped) = offset.quotientAndRemainder(dividingBy: UInt64(KeyStreamBlocks.count))
    unsafe withNettleContext(salsa20_ctx()) { context in
      unsafe key.withCBytes { key, _ in unsafe nettle_salsa20_256_set_key(context, key) }
      unsafe nonce.withCBytes { nonce, _ in unsafe nettle_salsa20_set_nonce(context, nonce) }
      // The number of the block stands in the words 8 and 9; nettle has no function to set it.
      unsafe context.pointee.input.8 = UInt32(truncatingIfNeeded: block)
      unsafe context.pointee.input.9 = UInt32(truncatingIfNeeded: block >> 32)
      unsafe KeyStreamBlocks.apply(to: &bytes, skipping: Int(skipped)) { count, place in
        unsafe nettle_salsa20_crypt(context, count, place, place)
      }
    }
  }
}
