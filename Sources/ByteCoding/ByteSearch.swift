extension BidirectionalCollection<UInt8> {
  /// Where `text` stands first among the bytes; nil where it doesn't.
  package func firstPlace(of text: String) -> Index? {
    let wanted = Array(text.utf8)
    return indices.first { self[$0...].starts(with: wanted) }
  }
}
