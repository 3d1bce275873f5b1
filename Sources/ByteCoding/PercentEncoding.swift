/// `%` and two hex digits for a byte, as in URLs (RFC 3986, section 2.1), in the tree's file names and in
/// the lines of pinentry's protocol.
package enum PercentEncoding {
  /// Gives every byte that `text` spells to `take`, in order; a `%` that no two digits follow is itself.
  ///
  /// For secrets too: nothing of them is kept.
  @inlinable package static func decode(_ text: Span<UInt8>, _ take: (UInt8) -> Void) {
    var i = 0
    while i < text.count {
      if text[i] == UInt8(ascii: "%"), i + 2 < text.count,
        let high = Hex.digit(text[i + 1]), let low = Hex.digit(text[i + 2])
      {
        take(high << 4 | low)
        i += 3
      } else {
        take(text[i])
        i += 1
      }
    }
  }
}
