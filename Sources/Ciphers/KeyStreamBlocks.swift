import CPlatform

/// What nettle's stream ciphers have in common: they begin at the start of a block, of 64 bytes.
enum KeyStreamBlocks {
  static let count = 64

  /// Combines `bytes` with a key stream where they are, from the byte `skipped` of a block on.
  ///
  /// `crypt` combines so many bytes at a place, the next of the stream; the cipher stands at the start of
  /// the first block.
  static func apply(
    to bytes: inout MutableSpan<UInt8>, skipping skipped: Int,
    _ crypt: (Int, UnsafeMutablePointer<UInt8>) -> Void
  ) {
    unsafe bytes.withUnsafeMutableBufferPointer { buffer in
      guard let base = buffer.baseAddress else { return }
      let head = skipped > 0 ? min(count - skipped, buffer.count) : 0
      if head > 0 { unsafe applyInsideBlock(base, head, skipping: skipped, crypt) }
      if head < buffer.count { unsafe crypt(buffer.count - head, base + head) }
    }
  }

  /// What stands inside a block is moved to its place for the while.
  private static func applyInsideBlock(
    _ bytes: UnsafeMutablePointer<UInt8>, _ inside: Int, skipping skipped: Int,
    _ crypt: (Int, UnsafeMutablePointer<UInt8>) -> Void
  ) {
    unsafe withUnsafeTemporaryAllocation(of: UInt8.self, capacity: count) { scratch in
      unsafe scratch.initialize(repeating: 0)
      guard let base = scratch.baseAddress else { return }
      unsafe (base + skipped).update(from: bytes, count: inside)
      unsafe crypt(count, base)
      unsafe bytes.update(from: base + skipped, count: inside)
      unsafe platform_wipe(base, count)
    }
  }
}
