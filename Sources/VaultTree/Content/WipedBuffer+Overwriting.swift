import Secrets

extension WipedBuffer {
  /// Puts `source` over the bytes from `offset` on; zeros fill a hole, the buffer grows as needed.
  mutating func overwrite(at offset: Int, with source: Span<UInt8>) {
    if offset > count { append(zeros: offset - count) }
    let overlap = min(source.count, count - offset)
    if overlap > 0 {
      var target = mutableBytes
      unsafe target.withUnsafeMutableBytes { target in
        unsafe source.withUnsafeBytes { source in
          // SAFETY: `overlap` bytes from `offset` on lie within the buffer and within `source`, and
          // the two are different memory.
          let place = unsafe UnsafeMutableRawBufferPointer(
            rebasing: target[offset..<(offset + overlap)])
          unsafe place.copyMemory(from: UnsafeRawBufferPointer(rebasing: source[..<overlap]))
        }
      }
    }
    if overlap < source.count { append(source.extracting(droppingFirst: overlap)) }
  }

  /// Makes the buffer `newCount` bytes long: cuts off, or adds zeros.
  mutating func resize(to newCount: Int) {
    if newCount < count { truncate(to: newCount) } else { append(zeros: newCount - count) }
  }
}
