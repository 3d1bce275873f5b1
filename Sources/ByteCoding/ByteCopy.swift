extension Span<UInt8> {
  /// A copy of the bytes, for what isn't secret.
  package func copied() -> [UInt8] {
    var copy: [UInt8] = []
    copy.reserveCapacity(count)
    for i in indices { copy.append(self[i]) }
    return copy
  }
}
