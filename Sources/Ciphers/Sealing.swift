package import Secrets

/// Names one sealing under a key; no two sealings of a key share one.
package struct SealNonce: Hashable, Sendable {
  let number: UInt64
}

/// Seals values that rest in memory, under a random key on a locked page.
///
/// It keeps plain text out of memory that may be swapped or dumped; it doesn't detect changes.
/// Safe to call from any thread.
package final class SealingKey: Sendable {
  package init() { fatalError("not yet") }

  /// Seals a copy of `plain`.
  package func seal(_ plain: Span<UInt8>) -> SealedBytes { fatalError("not yet") }

  /// Seals `bytes` where they are.
  package func sealInPlace(_ bytes: inout MutableSpan<UInt8>) -> SealNonce {
    fatalError("not yet")
  }

  /// Opens `bytes` where they are: all that was sealed under `nonce`, or what stood at `offset` of it.
  package func open(_ nonce: SealNonce, _ bytes: inout MutableSpan<UInt8>, at offset: Int = 0) {
    fatalError("not yet")
  }
}

/// A sealed value, which many may hold.
///
/// It keeps its key alive.
package final class SealedBytes: Sendable {
  /// The number of bytes, sealed or not.
  package let count: Int

  init(count: Int) { self.count = count }

  /// Appends the plain bytes.
  package func open(into output: inout WipedBuffer) { fatalError("not yet") }

  /// Appends the plain bytes of `range`.
  ///
  /// - Precondition: `range` lies within `0..<count`.
  package func open(range: Range<Int>, into output: inout WipedBuffer) { fatalError("not yet") }
}
