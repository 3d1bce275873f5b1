extension Span<UInt8> {
  /// A copy of the bytes, for what isn't secret.
  package func copied() -> [UInt8] {
    var copy: [UInt8] = []
    copy.reserveCapacity(count)
    for i in indices { copy.append(self[i]) }
    return copy
  }

  /// Whether both show the same bytes; for what isn't secret: it ends at the first that differs.
  @inlinable package func hasSameBytes(as other: Span<UInt8>) -> Bool {
    guard count == other.count else { return false }
    return unsafe withUnsafeBytes { mine in
      unsafe other.withUnsafeBytes { theirs in unsafe mine.elementsEqual(theirs) }
    }
  }
}
