package import Secrets
import Synchronization

/// Names one sealing under a key; no two sealings of a key share one.
package struct SealNonce: Hashable, Sendable {
  fileprivate let number: UInt64

  /// As ChaCha20 wants it.
  fileprivate var bytes: [UInt8] {
    (0..<12).map { $0 < 8 ? UInt8(truncatingIfNeeded: number >> UInt64(8 * $0)) : 0 }
  }
}

/// Seals values that rest in memory, with ChaCha20 under a random key on a locked page.
///
/// It keeps plain text out of memory that may be swapped or dumped; it doesn't detect changes, which
/// only this process could make. Safe to call from any thread.
package final class SealingKey: Sendable {
  private let key = SecretBytes.random(ChaCha20.keyCount)
  private let sealings = Atomic<UInt64>(0)

  package init() {}

  /// Seals a copy of `plain`.
  package func seal(_ plain: Span<UInt8>) -> SealedBytes {
    let nonce = nextNonce()
    let noncesBytes = nonce.bytes
    // SAFETY: the array's memory is as large as `plain`; nothing but cipher text gets there.
    let bytes = unsafe [UInt8](unsafeUninitializedCapacity: plain.count) { buffer, count in
      guard let target = buffer.baseAddress else { return }
      unsafe plain.withCBytes { source, sourceCount in
        key.withBytes { key in
          unsafe ChaCha20.process(
            key: key, nonce: noncesBytes.span, at: 0, from: source, to: target, count: sourceCount)
        }
      }
      count = plain.count
    }
    return SealedBytes(bytes, nonce, self)
  }

  /// Seals `bytes` where they are.
  package func sealInPlace(_ bytes: inout MutableSpan<UInt8>) -> SealNonce {
    let nonce = nextNonce()
    open(nonce, &bytes)
    return nonce
  }

  /// Opens `bytes` where they are: all that was sealed under `nonce`, or what stood at `offset` of it.
  package func open(_ nonce: SealNonce, _ bytes: inout MutableSpan<UInt8>, at offset: Int = 0) {
    let nonce = nonce.bytes
    key.withBytes {
      ChaCha20.apply(key: $0, nonce: nonce.span, at: UInt64(offset), to: &bytes)
    }
  }

  /// Appends `sealed` to `output`, and opens it there.
  ///
  /// It is all that was sealed under `nonce`, or what stood at `offset` of it.
  package func open(
    _ nonce: SealNonce, _ sealed: Span<UInt8>, at offset: Int = 0, into output: inout WipedBuffer
  ) {
    let start = output.count
    output.append(sealed)
    var opened = output.mutableBytes(in: start..<output.count)
    open(nonce, &opened, at: offset)
  }

  private func nextNonce() -> SealNonce {
    SealNonce(number: sealings.wrappingAdd(1, ordering: .relaxed).oldValue)
  }
}

/// A sealed value, which many may hold.
///
/// It keeps its key alive.
package final class SealedBytes: Sendable {
  private let bytes: [UInt8]
  private let nonce: SealNonce
  private let key: SealingKey

  fileprivate init(_ bytes: [UInt8], _ nonce: SealNonce, _ key: SealingKey) {
    self.bytes = bytes
    self.nonce = nonce
    self.key = key
  }

  /// The number of bytes, sealed or not.
  package var count: Int { bytes.count }

  /// Appends the plain bytes.
  package func open(into output: inout WipedBuffer) {
    let bytes = bytes
    key.open(nonce, bytes.span, into: &output)
  }

  /// Appends the plain bytes of `range`.
  ///
  /// - Precondition: `range` lies within `0..<count`.
  package func open(range: Range<Int>, into output: inout WipedBuffer) {
    let bytes = bytes
    key.open(nonce, bytes.span.extracting(range), at: range.lowerBound, into: &output)
  }
}
