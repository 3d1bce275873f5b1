import CNettle
import CPlatform

/// The key stream of Salsa20 (20 rounds, 256-bit key), entered at any offset.
enum Salsa20 {
  static let keyCount = 32
  static let nonceCount = 8
  private static let blockCount = 64

  /// Combines `bytes` with the key stream from `offset` on, where they are.
  static func apply(
    key: Span<UInt8>, nonce: Span<UInt8>, at offset: UInt64, to bytes: inout MutableSpan<UInt8>
  ) {
    precondition(key.count == keyCount && nonce.count == nonceCount, "not Salsa20's sizes")
    // On the heap, so that the key has one place, and is overwritten there.
    let context = UnsafeMutablePointer<salsa20_ctx>.allocate(capacity: 1)
    unsafe context.initialize(to: salsa20_ctx())
    defer {
      unsafe platform_wipe(context, MemoryLayout<salsa20_ctx>.size)
      unsafe context.deallocate()
    }
    unsafe key.withCBytes { key, _ in unsafe nettle_salsa20_256_set_key(context, key) }
    unsafe nonce.withCBytes { nonce, _ in unsafe nettle_salsa20_set_nonce(context, nonce) }
    // The number of the block stands in the words 8 and 9; nettle has no function to set it.
    let block = offset / UInt64(blockCount)
    unsafe context.pointee.input.8 = UInt32(truncatingIfNeeded: block)
    unsafe context.pointee.input.9 = UInt32(truncatingIfNeeded: block >> 32)

    unsafe bytes.withUnsafeMutableBufferPointer { buffer in
      guard let base = buffer.baseAddress else { return }
      let skipped = Int(offset % UInt64(blockCount))
      let head = skipped > 0 ? min(blockCount - skipped, buffer.count) : 0
      if head > 0 { unsafe applyInsideBlock(context, base, count: head, skipping: skipped) }
      if head < buffer.count {
        unsafe nettle_salsa20_crypt(context, buffer.count - head, base + head, base + head)
      }
    }
  }

  /// nettle begins at the start of a block: what stands inside one is moved to its place for the while.
  private static func applyInsideBlock(
    _ context: UnsafeMutablePointer<salsa20_ctx>, _ bytes: UnsafeMutablePointer<UInt8>,
    count: Int, skipping skipped: Int
  ) {
    unsafe withUnsafeTemporaryAllocation(of: UInt8.self, capacity: blockCount) { scratch in
      unsafe scratch.initialize(repeating: 0)
      guard let base = scratch.baseAddress else { return }
      unsafe (base + skipped).update(from: bytes, count: count)
      unsafe nettle_salsa20_crypt(context, blockCount, base, base)
      unsafe bytes.update(from: base + skipped, count: count)
      unsafe platform_wipe(base, blockCount)
    }
  }
}
