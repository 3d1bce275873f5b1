extension [UInt8] {
  /// A copy of what a span shows; for what isn't secret.
  init(copying span: Span<UInt8>) {
    self.init()
    reserveCapacity(span.count)
    for i in span.indices { append(span[i]) }
  }
}

extension Span<UInt8> {
  /// Whether both show the same bytes; for what isn't secret.
  func hasSameBytes(as other: Span<UInt8>) -> Bool {
    guard count == other.count else { return false }
    return unsafe withUnsafeBytes { mine in
      unsafe other.withUnsafeBytes { theirs in unsafe mine.elementsEqual(theirs) }
    }
  }
}
