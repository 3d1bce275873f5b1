extension [UInt8] {
  /// A copy of what a span shows; for what isn't secret.
  init(copying span: Span<UInt8>) {
    self.init()
    reserveCapacity(span.count)
    for i in span.indices { append(span[i]) }
  }
}
