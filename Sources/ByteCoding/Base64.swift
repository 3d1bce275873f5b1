/// Why a text isn't base64, and where.
package enum Base64Error: Error, Hashable {
  /// The byte at this offset is none of the alphabet, of the padding or of white space.
  case badCharacter(at: Int)
  /// The text ends inside a group of four, or its `=` stand elsewhere than at the end.
  case badPadding(at: Int)
}

/// Base64 with padding (RFC 4648, section 4), as it stands in the XML of a vault.
///
/// White space is ignored wherever it stands, padding is required, and bits that no byte needs are
/// ignored: so does KeePass.
package enum Base64 {
  /// The number of bytes that ``decode(_:into:)`` will append for `text`.
  package static func decodedCount(of text: Span<UInt8>) throws(Base64Error) -> Int {
    fatalError("not yet")
  }

  /// Appends the bytes that `text` spells.
  ///
  /// - Precondition: `output` has room for them (``decodedCount(of:)``; `count / 4 * 3` is enough).
  package static func decode(
    _ text: Span<UInt8>, into output: inout OutputRawSpan
  ) throws(Base64Error) {
    fatalError("not yet")
  }

  /// The bytes that `text` spells; not for secrets.
  package static func decode(_ text: Span<UInt8>) throws(Base64Error) -> [UInt8] {
    fatalError("not yet")
  }

  /// The length of the text for `count` bytes.
  package static func encodedCount(of count: Int) -> Int {
    (count + 2) / 3 * 4
  }

  /// Appends the text for `bytes`.
  ///
  /// - Precondition: `output` has room for it (``encodedCount(of:)``).
  package static func encode(_ bytes: Span<UInt8>, into output: inout OutputRawSpan) {
    fatalError("not yet")
  }

  /// The text for `bytes`; not for secrets.
  package static func encode(_ bytes: Span<UInt8>) -> [UInt8] {
    fatalError("not yet")
  }
}
